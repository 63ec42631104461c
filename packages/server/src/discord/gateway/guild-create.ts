import type { GatewayGuildCreateDispatchData } from 'discord-api-types/v10'
import { listServerChannels } from '../../community/channels/index.ts'
import { countMembers, findMembers, listServerMembers } from '../../community/members/index.ts'
import { findServerAccess, listVisibleChannelIds, toServer } from '../../community/permissions/index.ts'
import { listServerRoles } from '../../community/roles/index.ts'
import type { TranslatedSession } from '../../gateway/wire-format.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Database } from '../../storage/database.ts'
import { type DiscordChannel, toDiscordChannel } from '../objects/discord-channel.ts'
import { toDiscordGuild } from '../objects/discord-guild.ts'
import { type DiscordMember, toDiscordMember } from '../objects/discord-member.ts'
import type { DiscordRole } from '../objects/discord-role.ts'
import type { OptionalMembers, Whole } from '../objects/whole.ts'

export type DiscordGuildCreate = Whole<
  GatewayGuildCreateDispatchData,
  OptionalMembers['guildCreate'],
  { roles: DiscordRole[]; channels: DiscordChannel[]; members: DiscordMember[] }
>

interface GuildCreateDeps {
  db: Database
  clock: Clock
}

/** Sessions with the same value get the same from `readGuildCreate`. */
export function guildCreateVariant({ identity: { userId, options } }: TranslatedSession): string {
  return `${userId} ${options?.largeThreshold ?? 0} ${options?.intents.includes('members') === true}`
}

/**
 * A server with the channels that the bot may view. With the intent `members` and unless the server is large, with all
 * members; always with the bot. Undefined if the bot is not a member. `unavailable` is false for a server of READY, and
 * absent for one that the bot has joined: clients tell them apart by that.
 */
export async function readGuildCreate(
  { db, clock }: GuildCreateDeps,
  { identity: { userId, options } }: TranslatedSession,
  serverId: string,
  unavailable?: false,
): Promise<DiscordGuildCreate | undefined> {
  const access = await findServerAccess(db, clock(), userId, serverId)
  const [own] = access === undefined ? [] : await findMembers(db, clock(), serverId, [userId])
  if (access === undefined || own === undefined) return undefined
  const [roles, channels, visibleIds, memberCount] = await Promise.all([
    listServerRoles(db, serverId),
    listServerChannels(db, serverId),
    listVisibleChannelIds(db, userId, serverId),
    countMembers(db, serverId),
  ])
  const large = memberCount > (options?.largeThreshold ?? 0)
  const hasAll = !large && options?.intents.includes('members')
  const listed = hasAll ? await listServerMembers(db, clock(), serverId, { limit: memberCount }) : [own]
  const visible = new Set(visibleIds)
  return {
    ...toDiscordGuild(toServer(access.server), { roles }),
    ...(unavailable === undefined ? {} : { unavailable }),
    joined_at: toDiscordMember(own).joined_at,
    large,
    member_count: memberCount,
    members: listed.map(toDiscordMember),
    channels: channels.filter(({ id }) => visible.has(id)).map(toDiscordChannel),
    voice_states: [],
    threads: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  }
}
