import type { SelfUser } from '@gatehouse/protocol/users'
import type { Clock } from '../../kit/clock.ts'
import type { Sealer } from '../../kit/seal.ts'
import type { Sessions } from '../../platform/sessions/index.ts'
import type { Database } from '../../storage/database.ts'
import type { Choice, Installing } from '../installing.ts'
import type { Parameters } from '../parameters.ts'
import type { Start } from './freshness.ts'
import type { AuthorizationRequest } from './request.ts'

export interface AuthorizeDeps {
  db: Database
  clock: Clock
  ids: () => string
  sealer: Sealer
  baseUrl: string
  sessions: Pick<Sessions, 'findSession'>
  installing: Installing
  subjectOfHint: (token: string, applicationId: string) => Promise<string | undefined>
  confirmUnverifiedApps: boolean
  /** Told of what went wrong on our side, for the log. */
  report: (error: unknown) => void
}

/** What comes next. */
export type Outcome = { kind: 'redirect'; location: string } | ConsentScreen

export interface ConsentScreen {
  kind: 'consent'
  request: AuthorizationRequest
  person: SelfUser
  /** What the form's token is bound to: the session, its person, and this very request (D69). */
  bindings: { session: string; request: string }
  /** The request as the form posts it back. */
  parameters: Parameters
  /** The servers to choose from, where a bot or its commands are to be added. */
  choices: Choice[]
}

/** What the person decided on the screen. */
export interface Decision {
  allow: boolean
  /** The optional scopes that were left ticked. */
  ticked: readonly string[]
  serverId: string | undefined
}

/** A person who is signed in, on their way through one request. */
export interface Visit {
  session: { id: string; userId: string; authTime: number; amr: string[] }
  person: SelfUser
  start: Start
}

export function redirect(location: string): Outcome {
  return { kind: 'redirect', location }
}
