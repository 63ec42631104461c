import { Permission as bits } from '@gatehouse/protocol/permissions'

export type PermissionName =
  | 'CREATE_INVITE'
  | 'KICK_MEMBERS'
  | 'BAN_MEMBERS'
  | 'ADMINISTRATOR'
  | 'MANAGE_CHANNELS'
  | 'MANAGE_SERVER'
  | 'VIEW_AUDIT_LOG'
  | 'VIEW_CHANNEL'
  | 'SEND_MESSAGES'
  | 'MANAGE_MESSAGES'
  | 'EMBED_LINKS'
  | 'MENTION_EVERYONE'
  | 'MANAGE_ROLES'
  | 'MANAGE_WEBHOOKS'
  | 'USE_COMMANDS'
  | 'MODERATE_MEMBERS'

/** The bits of a permission set, which is a decimal string in the API. */
export const Permission: Readonly<Record<PermissionName, bigint>> = bits

/** The set as the API has it: `permissionSet(['VIEW_CHANNEL', 'SEND_MESSAGES'])`. */
export function permissionSet(names: readonly PermissionName[]): string {
  return names.reduce((set, name) => set | Permission[name], 0n).toString()
}
