import type { SecurityLog } from '../accounts/security-log/index.ts'
import type { Sessions } from '../accounts/sessions/index.ts'
import type { Users } from '../accounts/users/index.ts'
import type { Integrations } from '../applications/index.ts'
import type { Clock, Timers } from '../kit/clock.ts'
import type { Sealer } from '../kit/seal.ts'
import type { Outgoing } from '../outgoing/index.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import type { Database } from '../storage/database.ts'

/** What the OAuth operations need from the core, from other features and from the configuration. */
export interface Deps {
  db: Database
  clock: Clock
  timers: Timers
  /** Makes a new snowflake. */
  ids: () => string
  sealer: Sealer
  rateLimiter: RateLimiter
  sessions: Pick<Sessions, 'findSession' | 'lockSession' | 'revokeSession'>
  securityLog: Pick<SecurityLog, 'record'>
  integrations: Pick<Integrations, 'install' | 'isInstalled'>
  resendVerification: Users['resendVerification']
  outgoing: Pick<Outgoing, 'post'>
  baseUrl: string
  userinfoScope: 'identify' | 'openid'
  refreshGraceSeconds: number
  confirmUnverifiedApps: boolean
  /** Internal errors that the user or the client does not see. */
  onError: (error: unknown) => void
}
