import type { Member } from '@gatehouse/protocol/servers'
import type { APIGuildMember, APIGuildMemberNoUser } from 'discord-api-types/v10'
import { toDiscordTimestamp } from '../../webhooks/index.ts'
import { type DiscordUser, toDiscordUser } from './discord-user.ts'
import { noFlags } from './no-flags.ts'
import type { Whole } from './whole.ts'

export type DiscordMember = Whole<APIGuildMember, never, { joined_at: string; user: DiscordUser }>
export type DiscordMemberWithoutUser = Whole<APIGuildMemberNoUser, never, { joined_at: string }>

export function toDiscordMember(member: Member): DiscordMember {
  return { user: toDiscordUser(member.user), ...toDiscordMemberWithoutUser(member) }
}

export function toDiscordMemberWithoutUser(member: Omit<Member, 'user'>): DiscordMemberWithoutUser {
  const { timedOutUntil } = member
  return {
    nick: member.nick,
    avatar: null,
    banner: null,
    roles: member.roles,
    joined_at: toDiscordTimestamp(member.joinedAt),
    premium_since: null,
    communication_disabled_until: timedOutUntil === null ? null : toDiscordTimestamp(timedOutUntil),
    deaf: false,
    mute: false,
    pending: false,
    flags: noFlags,
    avatar_decoration_data: null,
    collectibles: null,
  }
}
