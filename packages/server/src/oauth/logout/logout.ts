import type { SelfUser } from '@gatehouse/protocol/users'
import type { ApplicationRecord } from '../../applications/index.ts'
import type { SessionRecord, Sessions } from '../../platform/sessions/index.ts'
import type { Database } from '../../storage/database.ts'
import type { Hint } from '../id-token.ts'
import type { Parameters } from '../parameters.ts'
import { findPerson } from '../people.ts'
import { withParameters } from '../redirect-uri.ts'
import { type LogoutRequest, readLogoutRequest } from './request.ts'

export interface LogoutDeps {
  db: Database
  sessions: Pick<Sessions, 'findSession' | 'endSession'>
  readHint: (token: string) => Promise<Hint | undefined>
}

/** What comes next. `ended`: the browser's cookie is to go. */
export type LogoutOutcome =
  | { kind: 'redirect'; location: string; ended: boolean }
  | ConfirmScreen
  | {
      kind: 'signed-out'
      client: ApplicationRecord | undefined
      location: string | undefined
      ended: boolean
    }

/** A person is asked whether they want to sign out. */
export interface ConfirmScreen {
  kind: 'confirm'
  client: ApplicationRecord | undefined
  person: SelfUser
  redirectUri: string | undefined
  /** What the form's token is bound to: the session, its person, and this very request (D69). */
  bindings: { session: string; request: string }
  parameters: Parameters
}

/**
 * A person was sent here to sign out (RP-Initiated Logout §2). Without a page where the application shows by an id_token
 * that it means this person, or where nobody is signed in. Throws AppError for a page.
 */
export async function startLogout(
  deps: LogoutDeps,
  parameters: Parameters,
  sessionId: string | undefined,
): Promise<LogoutOutcome> {
  const request = await readLogoutRequest(deps.db, deps.readHint, parameters)
  const session = sessionId === undefined ? undefined : await deps.sessions.findSession(deps.db, sessionId)
  const person = session && (await findPerson(deps.db, session.userId))
  if (!session || !person) return leave(request, false)
  if (isMeant(request.hint, session)) return end(deps, request, session)
  return {
    kind: 'confirm',
    client: request.client,
    person,
    redirectUri: request.redirectUri,
    bindings: bindingsOf(parameters, session),
    parameters,
  }
}

/** The person said yes. `checkForm` throws where the form is not theirs. The request is judged again from the start. */
export async function confirmLogout(
  deps: LogoutDeps,
  parameters: Parameters,
  sessionId: string | undefined,
  checkForm: (bindings: ConfirmScreen['bindings']) => void,
): Promise<LogoutOutcome> {
  const request = await readLogoutRequest(deps.db, deps.readHint, parameters)
  const session = sessionId === undefined ? undefined : await deps.sessions.findSession(deps.db, sessionId)
  if (!session) return leave(request, false)
  checkForm(bindingsOf(parameters, session))
  return end(deps, request, session)
}

/** §2: whoever is signed in now may be another person than the one of the id_token, or have signed in anew. */
function isMeant(hint: Hint | undefined, session: SessionRecord): boolean {
  if (hint?.subject !== session.userId) return false
  return hint.sid === undefined || hint.sid === session.id
}

async function end(
  { db, sessions }: LogoutDeps,
  request: LogoutRequest,
  { id }: SessionRecord,
): Promise<LogoutOutcome> {
  await db.transaction(tx => sessions.endSession(tx, id))
  return leave(request, true)
}

/**
 * Back to the application. Where nobody signed out, nor an id_token shows that somebody had signed in there, a link with
 * its name: an address of ours is no way to send just anybody elsewhere (RFC 9700 §4.11.2).
 */
function leave({ client, hint, redirectUri, state }: LogoutRequest, ended: boolean): LogoutOutcome {
  const location =
    redirectUri === undefined || state === undefined ? redirectUri : withParameters(redirectUri, { state })
  if (location !== undefined && (ended || hint !== undefined)) return { kind: 'redirect', location, ended }
  return { kind: 'signed-out', client, location, ended }
}

function bindingsOf(parameters: Parameters, session: SessionRecord): ConfirmScreen['bindings'] {
  return { session: `${session.id} ${session.userId}`, request: `logout?${parameters}` }
}
