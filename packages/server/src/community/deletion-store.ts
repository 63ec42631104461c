import type { Sql } from '../storage/database.ts'
import type { DeletedParents, DeleteRows } from '../storage/deletion-registry.ts'

// The rows of deleted servers, channels and roles (limits/deletion). Rows that have a cap are deleted with their parent
// (ON DELETE CASCADE). `others`: the rows of other modules.

const deleteMentions: DeleteRows = (sql, channelId, limit) =>
  sql.run`
    DELETE FROM mentions WHERE (message_id, target_id) IN
      (SELECT x.message_id, x.target_id FROM mentions x WHERE x.channel_id = ${channelId} LIMIT ${limit})`

const deleteMessages: DeleteRows = (sql, channelId, limit) =>
  sql.run`
    DELETE FROM messages WHERE id IN
      (SELECT m.id FROM messages m WHERE m.channel_id BETWEEN (SELECT ${channelId}) AND (SELECT ${channelId})
       ORDER BY m.channel_id, m.id LIMIT ${limit})`

const deleteReadMarks: DeleteRows = (sql, channelId, limit) =>
  sql.run`
    DELETE FROM read_marks WHERE (user_id, channel_id) IN
      (SELECT r.user_id, r.channel_id FROM read_marks r WHERE r.channel_id = ${channelId} LIMIT ${limit})`

const deleteChannel: DeleteRows = (sql, id) =>
  sql.run`DELETE FROM channels WHERE id = ${id} AND deleted_at IS NOT NULL`

export const deletedChannels = (others: readonly DeleteRows[]): DeletedParents => ({
  list: sql => sql.all`SELECT id FROM channels WHERE deleted_at >= 0 ORDER BY deleted_at LIMIT 100`,
  deletions: [deleteMentions, deleteMessages, deleteReadMarks, ...others, deleteChannel],
})

const deleteMembersOfRole: DeleteRows = (sql, roleId, limit) =>
  sql.run`
    DELETE FROM member_roles WHERE (server_id, user_id, role_id) IN
      (SELECT x.server_id, x.user_id, x.role_id FROM member_roles x WHERE x.role_id = ${roleId} LIMIT ${limit})`

const deleteRole: DeleteRows = (sql, id) =>
  sql.run`DELETE FROM roles WHERE id = ${id} AND deleted_at IS NOT NULL`

export const deletedRoles = (others: readonly DeleteRows[]): DeletedParents => ({
  list: sql => sql.all`SELECT id FROM roles WHERE deleted_at >= 0 ORDER BY deleted_at LIMIT 100`,
  deletions: [deleteMembersOfRole, ...others, deleteRole],
})

/** The sweep of channels deletes them. */
const markChannels: DeleteRows = (sql, serverId, limit) =>
  sql.run`
    UPDATE channels SET server_id = NULL, deleted_at = created_at WHERE id IN
      (SELECT c.id FROM channels c WHERE c.server_id = ${serverId} LIMIT ${limit})`

const deleteMemberRoles: DeleteRows = (sql, serverId, limit) =>
  sql.run`
    DELETE FROM member_roles WHERE (server_id, user_id, role_id) IN
      (SELECT x.server_id, x.user_id, x.role_id FROM member_roles x WHERE x.server_id = ${serverId} LIMIT ${limit})`

const deleteMembers: DeleteRows = (sql, serverId, limit) =>
  sql.run`
    DELETE FROM members WHERE (server_id, user_id) IN
      (SELECT m.server_id, m.user_id FROM members m WHERE m.server_id = ${serverId} LIMIT ${limit})`

const deleteBans: DeleteRows = (sql, serverId, limit) =>
  sql.run`
    DELETE FROM bans WHERE (server_id, user_id) IN
      (SELECT b.server_id, b.user_id FROM bans b WHERE b.server_id = ${serverId} LIMIT ${limit})`

const deleteTimeouts: DeleteRows = (sql, serverId, limit) =>
  sql.run`
    DELETE FROM timeouts WHERE (server_id, user_id) IN
      (SELECT t.server_id, t.user_id FROM timeouts t WHERE t.server_id = ${serverId} LIMIT ${limit})`

const deleteInvites: DeleteRows = (sql, serverId, limit) =>
  sql.run`
    DELETE FROM invites WHERE code IN (SELECT i.code FROM invites i WHERE i.server_id = ${serverId} LIMIT ${limit})`

const deleteReports: DeleteRows = (sql, serverId, limit) =>
  sql.run`
    DELETE FROM reports WHERE id IN
      (SELECT r.id FROM reports r WHERE r.server_id = ${serverId} LIMIT ${limit})`

const deleteServer: DeleteRows = (sql, id) =>
  sql.run`DELETE FROM servers WHERE id = ${id} AND deleted_at IS NOT NULL`

/** `removeBots`: the bots of the server, and what belongs to their applications there. */
export const deletedServers = (removeBots: DeleteRows, others: readonly DeleteRows[]): DeletedParents => ({
  list: sql => sql.all`SELECT id FROM servers WHERE deleted_at >= 0 ORDER BY deleted_at LIMIT 100`,
  deletions: [
    markChannels,
    ...others,
    removeBots,
    deleteMemberRoles,
    deleteMembers,
    deleteBans,
    deleteTimeouts,
    deleteInvites,
    deleteReports,
    deleteServer,
  ],
})

/** The bots of the server: each of them has a managed role. */
export async function listBotsOfServer(sql: Sql, serverId: string, limit: number): Promise<string[]> {
  const rows = await sql.all<{ botId: string }>`
    SELECT bot_id FROM roles WHERE server_id = ${serverId} AND bot_id IS NOT NULL LIMIT ${limit}`
  return rows.map(({ botId }) => botId)
}

export async function deleteManagedRole(sql: Sql, serverId: string, botId: string): Promise<void> {
  await sql.run`DELETE FROM roles WHERE server_id = ${serverId} AND bot_id = ${botId}`
}
