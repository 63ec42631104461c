import type { ReportState } from '@gatehouse/protocol/reports'
import { fragment, list, type Sql } from '../../storage/database.ts'

export interface ReportRow {
  id: string
  /** '' for a message of a direct message. */
  serverId: string
  /** Null for a report of a member. */
  channelId: string | null
  /** The id of the message or of the member. */
  subjectId: string
  /** The author of the message, or the member. */
  userId: string
  reporterId: string
  reason: string
  /** What `copyMessage` has made; null for a report of a member. */
  message: string | null
  state: ReportState
  createdAt: number
  closedBy: string | null
  closedAt: number | null
}

/** False if the reporter has an open report of the same subject. */
export async function insertReport(sql: Sql, report: ReportRow): Promise<boolean> {
  const rows = await sql.run`
    INSERT INTO reports
      (id, server_id, channel_id, subject_id, user_id, reporter_id, reason, message, state,
      created_at)
    VALUES (${report.id}, ${report.serverId}, ${report.channelId}, ${report.subjectId}, ${report.userId},
      ${report.reporterId}, ${report.reason}, ${report.message}, ${report.state}, ${report.createdAt})
    ON CONFLICT (reporter_id, server_id, subject_id) WHERE state = 'open' DO NOTHING`
  return rows > 0
}

export async function countOpenReports(sql: Sql, reporterId: string, serverId: string): Promise<number> {
  const row = await sql.get<{ n: number }>`
    SELECT COUNT(*) AS n FROM reports
    WHERE reporter_id = ${reporterId} AND server_id = ${serverId} AND state = 'open'`
  return row?.n ?? 0
}

const columns = fragment`
  id, server_id, channel_id, subject_id, user_id, reporter_id, reason, message, state, created_at, closed_by,
  closed_at`

export function findReport(sql: Sql, serverId: string, id: string) {
  return sql.get<ReportRow>`
    SELECT ${columns} FROM reports WHERE id = ${id} AND server_id = ${serverId}`
}

export interface ReportFilter {
  serverId: string
  state: ReportState | undefined
  /** Reports of this user are left out. */
  viewerId: string
  /** Only reports of members and those about these channels; undefined for all. */
  channelIds: readonly string[] | undefined
  before: string
  limit: number
}

/** Newest first. One statement for each filter, because each has an index. */
export function listReports(sql: Sql, filter: ReportFilter): Promise<ReportRow[]> {
  const { serverId, state, viewerId, channelIds, before, limit } = filter
  const all = channelIds === undefined ? 1 : 0
  const channels = list(channelIds ?? [])
  if (state !== undefined) {
    return sql.all`
      SELECT ${columns} FROM reports
      WHERE (state, server_id, id) > ((SELECT ${state}), (SELECT ${serverId}), '')
        AND (state, server_id, id) < ((SELECT ${state}), (SELECT ${serverId}), ${before})
        AND user_id <> ${viewerId}
        AND (channel_id IS NULL OR CAST(${all} AS BIGINT) = 1 OR channel_id IN ${channels})
      ORDER BY state DESC, server_id DESC, id DESC LIMIT ${limit}`
  }
  return sql.all`
    SELECT ${columns} FROM reports
    WHERE (server_id, id) > ((SELECT ${serverId}), '') AND (server_id, id) < ((SELECT ${serverId}), ${before})
      AND user_id <> ${viewerId}
      AND (channel_id IS NULL OR CAST(${all} AS BIGINT) = 1 OR channel_id IN ${channels})
    ORDER BY server_id DESC, id DESC LIMIT ${limit}`
}

/** Undefined if the report is no longer in the state `before`. */
export function setState(
  sql: Sql,
  id: string,
  change: { before: ReportState; state: ReportState; closedBy: string | null; closedAt: number | null },
) {
  return sql.get<ReportRow>`
    UPDATE reports SET state = ${change.state}, closed_by = ${change.closedBy}, closed_at = ${change.closedAt}
    WHERE id = ${id} AND state = ${change.before}
    RETURNING ${columns}`
}

export async function hasOpenReport(
  sql: Sql,
  { reporterId, serverId, subjectId }: Pick<ReportRow, 'reporterId' | 'serverId' | 'subjectId'>,
): Promise<boolean> {
  const row = await sql.get<{ id: string }>`
    SELECT id FROM reports
    WHERE reporter_id = ${reporterId} AND server_id = ${serverId} AND subject_id = ${subjectId} AND state = 'open'`
  return row !== undefined
}

/** Those of the messages that are not deleted. */
export async function findMessageIds(sql: Sql, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql.all<{ id: string }>`SELECT id FROM messages WHERE id IN ${list(ids)}`
  return new Set(rows.map(({ id }) => id))
}

/** The channels of the server that are not deleted. */
export function findChannelNames(sql: Sql, serverId: string, ids: readonly string[]) {
  return sql.all<{ id: string; name: string }>`
    SELECT id, name FROM channels WHERE id IN ${list(ids)} AND server_id = ${serverId} AND deleted_at IS NULL`
}

/** Deletes up to `limit` reports that were closed before, and returns their number. */
export function deleteReportsClosedBefore(sql: Sql, time: number, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM reports WHERE id IN
      (SELECT r.id FROM reports r WHERE r.closed_at < ${time} ORDER BY r.closed_at LIMIT ${limit})`
}

/** The administrators of the instance. */
export async function listAdministratorIds(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql.all<{ id: string }>`SELECT id FROM users WHERE administrator = 1 LIMIT ${limit}`
  return rows.map(({ id }) => id)
}
