import {
  type AllowedMentions,
  applyAllowedMentions,
  type Mentions,
  parseMentions,
} from '@gatehouse/protocol/mentions'
import type { Sql } from '../../storage/database.ts'
import { listDirectMessageUserIds } from '../channels/index.ts'
import { filterViewers } from '../permissions/index.ts'
import { findRoleIds } from '../roles/index.ts'

/**
 * The mentions in `content` that cause a notification: allowed by the request, of users who can view the channel and of
 * roles of the server (webhooks/mentions).
 */
export async function resolveMentions(
  sql: Sql,
  {
    content,
    allowedMentions,
    defaultMentions,
    channelId,
    serverId,
    canMentionEveryone,
  }: {
    content: string
    /** From the request body. */
    allowedMentions: AllowedMentions | undefined
    /** Used without `allowedMentions`: `usersOnly` for bots and webhooks, `anyMention` for users. */
    defaultMentions: AllowedMentions
    channelId: string
    /** Null in a direct message. */
    serverId: string | null
    /**
     * Whether the author, or for a webhook its creator, has MENTION_EVERYONE in the channel. Without it, mentions of
     * roles and of everyone are dropped.
     */
    canMentionEveryone: boolean
  },
): Promise<Mentions> {
  const found = applyAllowedMentions(parseMentions(content), allowedMentions, defaultMentions)
  const roleIds = canMentionEveryone ? found.roles : []
  const none: string[] = []
  const [viewers, serverRoles] = await Promise.all([
    found.users.length === 0 ? none : listViewers(sql, { channelId, serverId }, found.users),
    serverId === null || roleIds.length === 0 ? none : findRoleIds(sql, serverId, roleIds),
  ])
  return {
    users: found.users.filter(id => viewers.includes(id)),
    roles: roleIds.filter(id => serverRoles.includes(id)),
    everyone: found.everyone && canMentionEveryone,
  }
}

async function listViewers(
  sql: Sql,
  { channelId, serverId }: { channelId: string; serverId: string | null },
  userIds: readonly string[],
): Promise<string[]> {
  if (serverId === null) return listDirectMessageUserIds(sql, channelId)
  return [...(await filterViewers(sql, { channelId, serverId }, userIds))]
}
