import type {
  AuditAction,
  AuditChange,
  AuditLogEntry,
  AuditLogQuery,
  AuditTargetType,
} from '@gatehouse/protocol/audit-log'
import { auditDays, defaultListLimit } from '@gatehouse/protocol/limits'
import { findUsers, type UserRecord, userView } from '../accounts/users/index.ts'
import type { Events } from '../events/gateway-events.ts'
import { inBatches } from '../kit/batches.ts'
import type { Clock } from '../kit/clock.ts'
import { maxSnowflake } from '../kit/snowflake.ts'
import type { Database, Sql, Transaction } from '../storage/database.ts'
import * as store from './audit-log-store.ts'

/** Who acts, and why (header `X-Audit-Log-Reason`). */
export interface Actor {
  userId: string
  reason?: string | undefined
}

/** An act, which is recorded in its own transaction. */
export interface Act {
  /** Null for the audit log of the instance. */
  serverId: string | null
  /** Null for a command of the operator. */
  actor: Actor | null
  action: AuditAction
  target: { type: AuditTargetType; id: string; name: string }
  changes?: readonly AuditChange[]
}

export type AuditLog = ReturnType<typeof createAuditLog>

/** The audit logs of servers and of the instance (community/audit-log). Does not check who may read them. */
export function createAuditLog({
  db,
  clock,
  ids,
  events,
}: {
  db: Database
  clock: Clock
  ids: () => string
  events: Pick<Events, 'toServer'>
}) {
  return {
    /**
     * Records the act in its transaction. After the commit, bots with VIEW_AUDIT_LOG receive it. An update that changes
     * nothing is no act.
     */
    async record(tx: Transaction, { serverId, actor, action, target, changes = [] }: Act): Promise<void> {
      if (action.endsWith('_UPDATE') && changes.length === 0) return
      const record: store.AuditRecord = {
        id: ids(),
        serverId,
        actorId: actor?.userId ?? null,
        action,
        targetType: target.type,
        targetId: target.id,
        targetName: target.name,
        changes,
        reason: actor?.reason ?? null,
        createdAt: clock(),
      }
      await store.insertEntry(tx, record)
      if (serverId === null) return
      const [entry] = await toEntries(tx, [record])
      if (entry === undefined) return
      tx.afterCommit(() => events.toServer(serverId, { t: 'AUDIT_LOG_ENTRY_CREATE', d: entry }))
    },

    /** Newest first. */
    async list(
      serverId: string | null,
      { userId, targetId, action, before, after, limit = defaultListLimit }: AuditLogQuery,
    ): Promise<AuditLogEntry[]> {
      const records = await store.listEntries(db, {
        serverId,
        actorId: userId,
        targetId,
        action,
        after: after ?? '',
        before: before ?? maxSnowflake,
        forwards: after !== undefined && before === undefined,
        limit,
      })
      return toEntries(db, records)
    },

    /** Deletes entries after 90 days. */
    async sweep(): Promise<void> {
      const createdBefore = clock() - auditDays * 86_400_000
      await inBatches(limit => store.deleteEntriesBefore(db, createdBefore, limit))
    },
  }
}

async function toEntries(sql: Sql, records: readonly store.AuditRecord[]): Promise<AuditLogEntry[]> {
  const users = await findUsers(
    sql,
    records.flatMap(({ actorId }) => actorId ?? []),
  )
  return records.map(({ actorId, targetType, targetId, targetName, changes, createdAt, ...entry }) => {
    const actor = actorId === null ? undefined : users.get(actorId)
    return {
      ...entry,
      actor: actor ? userView(actor) : null,
      target: { type: targetType, id: targetId, name: targetName },
      changes: [...changes],
      createdAt: new Date(createdAt).toISOString(),
    }
  })
}

/** A user by username, because two may have the same displayed name. */
export function userTarget({ id, username }: Pick<UserRecord, 'id' | 'username'>): Act['target'] {
  return { type: 'user', id, name: username }
}

/** The members of `keys` that differ, as JSON. For a new object `before` is undefined, for a deleted one `after`. */
export function changesOf<T extends object>(
  keys: readonly (keyof T & string)[],
  before: T | undefined,
  after: T | undefined,
): AuditChange[] {
  const toJson = (object: T | undefined, key: keyof T) =>
    object?.[key] === undefined || object[key] === null ? null : JSON.stringify(object[key])
  return keys
    .map(key => ({ key, before: toJson(before, key), after: toJson(after, key) }))
    .filter(change => change.before !== change.after)
}
