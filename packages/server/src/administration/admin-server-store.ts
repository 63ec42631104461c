import { list, type Sql } from '../storage/database.ts'
import type { SearchPage } from './admin-user-store.ts'

export interface ServerRow {
  id: string
  name: string
  icon: string | null
  ownerId: string
  members: number
  channels: number
  disabledAt: number | null
  createdAt: number
}

/** The ids, newest first, also of disabled ones. `query` is an id of a server or owner, or a part of the name. */
export async function searchServerIds(
  sql: Sql,
  { query, part, lowerPart, before, limit }: SearchPage,
): Promise<string[]> {
  const rows = await sql.all<{ id: string }>`
    SELECT id FROM servers
    WHERE id < ${before} AND COALESCE(deleted_at, -1) < 0
      AND (${query} = '' OR id = ${query} OR owner_id = ${query}
        OR name LIKE ${part} ESCAPE '!' OR LOWER(name) LIKE ${lowerPart} ESCAPE '!')
    ORDER BY id DESC LIMIT ${limit}`
  return rows.map(({ id }) => id)
}

/** Newest first, also disabled ones. */
export function listServerRows(sql: Sql, ids: readonly string[]) {
  return sql.all<ServerRow>`
    SELECT s.id, s.name, s.icon, s.owner_id, -s.deleted_at AS disabled_at, s.created_at,
      (SELECT COUNT(*) FROM members m WHERE m.server_id = s.id) AS members,
      (SELECT COUNT(*) FROM channels c WHERE c.server_id = s.id) AS channels
    FROM servers s WHERE s.id IN ${list(ids)} AND COALESCE(s.deleted_at, -1) < 0 ORDER BY s.id DESC`
}

interface ApplicationRow {
  id: string
  name: string
  iconHash: string | null
  ownerId: string
  botUserId: string | null
  authorizations: number
  disabledAt: number | null
  createdAt: number
}

/** Like `searchServerIds`. */
export async function searchApplicationIds(
  sql: Sql,
  { query, part, lowerPart, before, limit }: SearchPage,
): Promise<string[]> {
  const rows = await sql.all<{ id: string }>`
    SELECT id FROM applications
    WHERE id < ${before} AND deleted_at IS NULL
      AND (${query} = '' OR id = ${query} OR owner_id = ${query}
        OR name LIKE ${part} ESCAPE '!' OR LOWER(name) LIKE ${lowerPart} ESCAPE '!')
    ORDER BY id DESC LIMIT ${limit}`
  return rows.map(({ id }) => id)
}

/** Newest first, also disabled ones. The ids are of applications that are not deleted. */
export function listApplicationRows(sql: Sql, ids: readonly string[]) {
  return sql.all<ApplicationRow>`
    SELECT a.id, a.name, a.icon_hash, a.owner_id, a.bot_user_id, a.disabled_at, a.created_at,
      (SELECT COUNT(*) FROM oauth_consents c WHERE c.application_id = a.id) AS authorizations
    FROM applications a WHERE a.id IN ${list(ids)} ORDER BY a.id DESC`
}
