import {
  effectivePermissions,
  has,
  Permission,
  type PermissionSet,
  readPermissions,
} from '@gatehouse/protocol/permissions'

/** READ_MESSAGE_HISTORY, which bots check before they read messages. Here it belongs to VIEW_CHANNEL. */
const readMessageHistory = 1n << 16n

/** A set of permissions as Discord's API has it (discord/permissions). */
export function toDiscordPermissions(set: PermissionSet): string {
  const bits = readPermissions(set) & effectivePermissions
  return String(has(bits, Permission.VIEW_CHANNEL) ? bits | readMessageHistory : bits)
}
