import type { AuditAction, AuditChange, AuditTargetType } from '@gatehouse/protocol/audit-log'
import { fragment, type Sql } from '../storage/database.ts'

export interface AuditRecord {
  id: string
  /** Null in the audit log of the instance. */
  serverId: string | null
  /** A user or bot; null for a command of the operator. */
  actorId: string | null
  action: AuditAction
  targetType: AuditTargetType
  targetId: string
  targetName: string
  changes: readonly AuditChange[]
  reason: string | null
  /** Milliseconds. */
  createdAt: number
}

export async function insertEntry(sql: Sql, entry: AuditRecord): Promise<void> {
  await sql.run`
    INSERT INTO audit_log (id, server_id, actor_id, action, target_type, target_id, target_name, changes, reason,
      created_at)
    VALUES (${entry.id}, ${entry.serverId ?? ''}, ${entry.actorId}, ${entry.action}, ${entry.targetType},
      ${entry.targetId}, ${entry.targetName}, ${JSON.stringify(entry.changes)}, ${entry.reason}, ${entry.createdAt})`
}

export interface AuditFilter {
  /** Null: the audit log of the instance. */
  serverId: string | null
  actorId?: string | undefined
  targetId?: string | undefined
  action?: AuditAction | undefined
  /** Both exclusive. */
  after: string
  before: string
  /** Selects the entries next to `after` instead of those next to `before`. */
  forwards: boolean
  limit: number
}

type Row = Omit<AuditRecord, 'changes' | 'serverId'> & { changes: string; serverId: string }

const columns = fragment`
  id, server_id, actor_id, action, target_type, target_id, target_name, changes, reason, created_at`

/** Newest first. */
export async function listEntries(sql: Sql, filter: AuditFilter): Promise<AuditRecord[]> {
  const rows = filter.forwards
    ? (await listForwards(sql, filter)).reverse()
    : await listBackwards(sql, filter)
  return rows.map(row => ({ ...row, serverId: row.serverId || null, changes: JSON.parse(row.changes) }))
}

// One statement for each filter, because each has an index. `SELECT` hides a value, so that PostgreSQL reads no
// other index.

/** The entries next to `before`, newest first. */
function listBackwards(sql: Sql, filter: AuditFilter): Promise<Row[]> {
  const { actorId = '', targetId = '', action = '', after, before, limit } = filter
  const serverId = filter.serverId ?? ''
  if (targetId !== '') {
    return sql.all<Row>`
      SELECT ${columns} FROM audit_log
      WHERE (target_id, server_id, id) > ((SELECT ${targetId}), (SELECT ${serverId}), ${after})
        AND (target_id, server_id, id) < ((SELECT ${targetId}), (SELECT ${serverId}), ${before})
        AND (SELECT ${actorId}) IN ('', actor_id) AND (SELECT ${action}) IN ('', action)
      ORDER BY target_id DESC, server_id DESC, id DESC LIMIT ${limit}`
  }
  if (actorId !== '') {
    return sql.all<Row>`
      SELECT ${columns} FROM audit_log
      WHERE (actor_id, server_id, id) > ((SELECT ${actorId}), (SELECT ${serverId}), ${after})
        AND (actor_id, server_id, id) < ((SELECT ${actorId}), (SELECT ${serverId}), ${before})
        AND (SELECT ${action}) IN ('', action)
      ORDER BY actor_id DESC, server_id DESC, id DESC LIMIT ${limit}`
  }
  if (action !== '') {
    return sql.all<Row>`
      SELECT ${columns} FROM audit_log
      WHERE (action, server_id, id) > ((SELECT ${action}), (SELECT ${serverId}), ${after})
        AND (action, server_id, id) < ((SELECT ${action}), (SELECT ${serverId}), ${before})
      ORDER BY action DESC, server_id DESC, id DESC LIMIT ${limit}`
  }
  return sql.all<Row>`
      SELECT ${columns} FROM audit_log WHERE (server_id, id) > ((SELECT ${serverId}), ${after})
        AND (server_id, id) < ((SELECT ${serverId}), ${before})
      ORDER BY server_id DESC, id DESC LIMIT ${limit}`
}

/** The entries next to `after`, oldest first. */
function listForwards(sql: Sql, filter: AuditFilter): Promise<Row[]> {
  const { actorId = '', targetId = '', action = '', after, before, limit } = filter
  const serverId = filter.serverId ?? ''
  if (targetId !== '') {
    return sql.all<Row>`
      SELECT ${columns} FROM audit_log
      WHERE (target_id, server_id, id) > ((SELECT ${targetId}), (SELECT ${serverId}), ${after})
        AND (target_id, server_id, id) < ((SELECT ${targetId}), (SELECT ${serverId}), ${before})
        AND (SELECT ${actorId}) IN ('', actor_id) AND (SELECT ${action}) IN ('', action)
      ORDER BY target_id, server_id, id LIMIT ${limit}`
  }
  if (actorId !== '') {
    return sql.all<Row>`
      SELECT ${columns} FROM audit_log
      WHERE (actor_id, server_id, id) > ((SELECT ${actorId}), (SELECT ${serverId}), ${after})
        AND (actor_id, server_id, id) < ((SELECT ${actorId}), (SELECT ${serverId}), ${before})
        AND (SELECT ${action}) IN ('', action)
      ORDER BY actor_id, server_id, id LIMIT ${limit}`
  }
  if (action !== '') {
    return sql.all<Row>`
      SELECT ${columns} FROM audit_log
      WHERE (action, server_id, id) > ((SELECT ${action}), (SELECT ${serverId}), ${after})
        AND (action, server_id, id) < ((SELECT ${action}), (SELECT ${serverId}), ${before})
      ORDER BY action, server_id, id LIMIT ${limit}`
  }
  return sql.all<Row>`
      SELECT ${columns} FROM audit_log WHERE (server_id, id) > ((SELECT ${serverId}), ${after})
        AND (server_id, id) < ((SELECT ${serverId}), ${before})
      ORDER BY server_id, id LIMIT ${limit}`
}

/** Deletes up to `limit` entries from before `createdBefore`, and returns their number. */
export function deleteEntriesBefore(sql: Sql, createdBefore: number, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM audit_log WHERE id IN
      (SELECT l.id FROM audit_log l WHERE l.created_at < ${createdBefore} ORDER BY l.created_at LIMIT ${limit})`
}

/** Of a deleted server (limits/deletion). */
export function deleteEntriesOfServer(sql: Sql, serverId: string, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM audit_log WHERE id IN (SELECT l.id FROM audit_log l WHERE l.server_id = ${serverId} LIMIT ${limit})`
}
