import { type AllowedMentions, allow, type Mentions, parseMentions } from '@gatehouse/protocol/mentions'
import type { Sql } from '../../storage/database.ts'
import { directMessageMembers } from '../channels/index.ts'
import { findMemberIds } from '../members/index.ts'
import { findRoleIds } from '../roles/index.ts'

const none: readonly string[] = []

interface MentionContext {
  content: string
  /** What the request says, undefined where it says nothing. */
  allowed: AllowedMentions | undefined
  /** What holds then: `usersOnly` for bots and webhooks, `anyMention` for people (D36). */
  default: AllowedMentions
  channelId: string
  /** Null in a direct message. */
  serverId: string | null
  /** Whether who speaks holds MENTION_EVERYONE in the channel: without it neither a role nor everyone is notified. */
  mayMentionEveryone: boolean
}

/** Whom a message notifies: of those whom its text mentions and who are there, the ones that it may (D36). */
export async function resolveMentions(sql: Sql, context: MentionContext): Promise<Mentions> {
  const { content, allowed, channelId, serverId, mayMentionEveryone } = context
  const found = allow(parseMentions(content), allowed, context.default)
  const roles = mayMentionEveryone ? found.roles : []
  if (found.users.length === 0 && roles.length === 0) {
    return { users: [], roles: [], everyone: found.everyone && mayMentionEveryone }
  }
  const [knownUsers, knownRoles] = await Promise.all([
    found.users.length === 0 ? none : present(sql, { channelId, serverId }, found.users),
    serverId === null || roles.length === 0 ? none : findRoleIds(sql, serverId, roles),
  ])
  return {
    users: found.users.filter(id => knownUsers.includes(id)),
    roles: roles.filter(id => knownRoles.includes(id)),
    everyone: found.everyone && mayMentionEveryone,
  }
}

function present(
  sql: Sql,
  { channelId, serverId }: { channelId: string; serverId: string | null },
  userIds: readonly string[],
): Promise<string[]> {
  return serverId === null ? directMessageMembers(sql, channelId) : findMemberIds(sql, serverId, userIds)
}
