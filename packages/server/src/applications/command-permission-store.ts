import type { CommandOverride } from '@gatehouse/protocol/commands'
import type { Sql } from '../storage/database.ts'
import type { DeleteRows } from '../storage/deletion-registry.ts'
import type { CommandRecord } from './command-store.ts'

/** The overrides of the other commands of the server. */
export async function countOverridesOfOthers(sql: Sql, serverId: string, commandId: string): Promise<number> {
  const row = await sql.get<{ count: number }>`
    SELECT COUNT(*) AS count FROM valid_command_overrides
    WHERE server_id = ${serverId} AND command_id <> ${commandId}`
  return row?.count ?? 0
}

export async function replaceOverrides(
  sql: Sql,
  serverId: string,
  { id: commandId, applicationId }: Pick<CommandRecord, 'id' | 'applicationId'>,
  overrides: readonly CommandOverride[],
): Promise<void> {
  await sql.run`DELETE FROM command_overrides WHERE server_id = ${serverId} AND command_id = ${commandId}`
  await Promise.all(
    overrides.map(({ type, id, allow }, position) => {
      const roleId = type === 'role' ? id : null
      const userId = type === 'user' ? id : null
      const channelId = type === 'channel' && id !== serverId ? id : null
      return sql.run`
        INSERT INTO command_overrides (server_id, command_id, position, application_id, role_id, user_id,
          channel_id, allow)
        VALUES (${serverId}, ${commandId}, ${position}, ${applicationId}, ${roleId}, ${userId}, ${channelId},
          ${allow ? 1 : 0})`
    }),
  )
}

// Of servers, channels and roles that are deleted (limits/deletion).

export const deleteOverridesOfServer: DeleteRows = (sql, serverId, limit) =>
  sql.run`
    DELETE FROM command_overrides WHERE (server_id, command_id, position) IN
      (SELECT o.server_id, o.command_id, o.position FROM command_overrides o WHERE o.server_id = ${serverId}
        LIMIT ${limit})`

export const deleteOverridesOfChannel: DeleteRows = (sql, channelId, limit) =>
  sql.run`
    DELETE FROM command_overrides WHERE (server_id, command_id, position) IN
      (SELECT o.server_id, o.command_id, o.position FROM command_overrides o WHERE o.channel_id = ${channelId}
        LIMIT ${limit})`

export const deleteOverridesOfRole: DeleteRows = (sql, roleId, limit) =>
  sql.run`
    DELETE FROM command_overrides WHERE (server_id, command_id, position) IN
      (SELECT o.server_id, o.command_id, o.position FROM command_overrides o WHERE o.role_id = ${roleId}
        LIMIT ${limit})`
