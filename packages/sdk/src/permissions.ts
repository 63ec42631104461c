export type PermissionName =
  | 'KICK_MEMBERS'
  | 'BAN_MEMBERS'
  | 'ADMINISTRATOR'
  | 'MANAGE_CHANNELS'
  | 'MANAGE_SERVER'
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
export const Permission: Readonly<Record<PermissionName, bigint>> = {
  KICK_MEMBERS: 1n << 1n,
  BAN_MEMBERS: 1n << 2n,
  ADMINISTRATOR: 1n << 3n,
  MANAGE_CHANNELS: 1n << 4n,
  MANAGE_SERVER: 1n << 5n,
  VIEW_CHANNEL: 1n << 10n,
  SEND_MESSAGES: 1n << 11n,
  MANAGE_MESSAGES: 1n << 13n,
  EMBED_LINKS: 1n << 14n,
  MENTION_EVERYONE: 1n << 17n,
  MANAGE_ROLES: 1n << 28n,
  MANAGE_WEBHOOKS: 1n << 29n,
  USE_COMMANDS: 1n << 31n,
  MODERATE_MEMBERS: 1n << 40n,
}

/** The set as the API has it: `permissionSet(['VIEW_CHANNEL', 'SEND_MESSAGES'])`. */
export function permissionSet(names: readonly PermissionName[]): string {
  return names.reduce((set, name) => set | Permission[name], 0n).toString()
}
