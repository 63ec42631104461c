import type { AuditLog } from '../audit/index.ts'
import type { DomainEventPublisher } from '../events/domain-events.ts'
import type { Events } from '../events/gateway-events.ts'
import type { Clock } from '../kit/clock.ts'
import type { Database } from '../storage/database.ts'

/** What the operations of this folder share. */
export interface Deps {
  db: Database
  clock: Clock
  /** Makes a new snowflake. */
  ids: () => string
  events: Events
  domainEvents: DomainEventPublisher
  auditLog: Pick<AuditLog, 'record' | 'list'>
}
