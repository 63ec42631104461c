import type { Sql } from '../storage/database.ts'
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

/** Newest first, also disabled ones. `query` is an id of a server or owner, or a part of the name. */
export function searchServers(sql: Sql, { query, part, lowerPart, before, limit }: SearchPage) {
  return sql.all<ServerRow>`
    SELECT s.id, s.name, s.icon, s.owner_id, -s.deleted_at AS disabled_at, s.created_at,
      (SELECT COUNT(*) FROM members m WHERE m.server_id = s.id) AS members,
      (SELECT COUNT(*) FROM channels c WHERE c.server_id = s.id) AS channels
    FROM servers s
    WHERE s.id < ${before} AND COALESCE(s.deleted_at, -1) < 0
      AND (${query} = '' OR s.id = ${query} OR s.owner_id = ${query}
        OR s.name LIKE ${part} ESCAPE '!' OR LOWER(s.name) LIKE ${lowerPart} ESCAPE '!')
    ORDER BY s.id DESC LIMIT ${limit}`
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

/** Like `searchServers`. */
export function searchApplications(sql: Sql, { query, part, lowerPart, before, limit }: SearchPage) {
  return sql.all<ApplicationRow>`
    SELECT a.id, a.name, a.icon_hash, a.owner_id, a.bot_user_id, a.disabled_at, a.created_at,
      (SELECT COUNT(*) FROM oauth_consents c WHERE c.application_id = a.id) AS authorizations
    FROM applications a
    WHERE a.id < ${before} AND a.deleted_at IS NULL
      AND (${query} = '' OR a.id = ${query} OR a.owner_id = ${query}
        OR a.name LIKE ${part} ESCAPE '!' OR LOWER(a.name) LIKE ${lowerPart} ESCAPE '!')
    ORDER BY a.id DESC LIMIT ${limit}`
}
