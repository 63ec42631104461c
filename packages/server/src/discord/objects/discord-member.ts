import type { Member } from '@gatehouse/protocol/servers'
import type { APIGuildMember } from 'discord-api-types/v10'
import { toDiscordTimestamp } from '../../webhooks/index.ts'
import { toDiscordUser } from './discord-user.ts'
import { noFlags } from './no-flags.ts'

export function toDiscordMember(member: Member): APIGuildMember {
  return { user: toDiscordUser(member.user), ...toDiscordMemberWithoutUser(member) }
}

export function toDiscordMemberWithoutUser(
  member: Omit<Member, 'user'>,
): Omit<APIGuildMember, 'user'> & { joined_at: string } {
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
  }
}
