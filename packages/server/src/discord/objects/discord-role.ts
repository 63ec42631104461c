import type { Role } from '@gatehouse/protocol/servers'
import type { APIRole } from 'discord-api-types/v10'
import { toDiscordPermissions } from './discord-permissions.ts'
import { noFlags } from './no-flags.ts'
import type { OptionalMembers, Whole } from './whole.ts'

export type DiscordRole = Whole<APIRole, OptionalMembers['role']>

/** Nobody mentions a role without MENTION_EVERYONE, so none is `mentionable`. */
export function toDiscordRole(role: Role): DiscordRole {
  return {
    id: role.id,
    name: role.name,
    color: role.color,
    colors: { primary_color: role.color, secondary_color: null, tertiary_color: null },
    hoist: false,
    icon: null,
    unicode_emoji: null,
    position: role.position,
    permissions: toDiscordPermissions(role.permissions),
    managed: role.managed,
    mentionable: false,
    flags: noFlags,
  }
}
