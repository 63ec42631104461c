import type { SecurityLog } from '../accounts/security-log/index.ts'
import type { Users } from '../accounts/users/index.ts'
import type { AuditLog } from '../audit/index.ts'
import type { Members } from '../community/members/index.ts'
import type { DomainEventPublisher } from '../events/domain-events.ts'
import type { Events } from '../events/gateway-events.ts'
import type { Clock } from '../kit/clock.ts'
import type { Sealer } from '../kit/seal.ts'
import type { Outgoing } from '../outgoing/index.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import type { Database } from '../storage/database.ts'
import type { DeletionRegistry } from '../storage/deletion-registry.ts'

/** What the operations on applications use of the core and of other features. */
export interface Deps {
  db: Database
  clock: Clock
  /** Makes a new snowflake. */
  ids: () => string
  sealer: Sealer
  events: Events
  domainEvents: DomainEventPublisher
  auditLog: Pick<AuditLog, 'record'>
  deletions: Pick<DeletionRegistry, 'of'>
  securityLog: Pick<SecurityLog, 'record'>
  users: Pick<Users, 'createBotUser' | 'updateBotUser' | 'deleteBotUser' | 'mailAboutApplication'>
  /** Throws `email_not_verified` (community/unverified-email). */
  requireVerified: Users['requireVerified']
  /** Whether mails are sent over SMTP. Otherwise they are only written to files. */
  sendsMail: boolean
  members: Members
  outgoing: Outgoing
  rateLimiter: Pick<RateLimiter, 'window' | 'addRequests'>
}
