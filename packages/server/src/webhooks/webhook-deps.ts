import type { Users } from '../accounts/users/index.ts'
import type { AuditLog } from '../audit/index.ts'
import type { Events } from '../events/gateway-events.ts'
import type { ProxyUrls } from '../images/media-proxy/index.ts'
import type { Clock, Timers } from '../kit/clock.ts'
import type { Sealer } from '../kit/seal.ts'
import type { Database } from '../storage/database.ts'

/** What the operations on webhooks use of the core. */
export interface Deps {
  db: Database
  clock: Clock
  timers: Timers
  /** Makes a new snowflake. */
  ids: () => string
  sealer: Sealer
  auditLog: Pick<AuditLog, 'record'>
  events: Pick<Events, 'toServer'>
  baseUrl: string
  proxyUrls: ProxyUrls
  /** Throws `email_not_verified` (community/unverified-email). */
  requireVerified: Users['requireVerified']
}
