import { isPermissionName, type PermissionName } from '@gatehouse/protocol/permissions'

const groups = ['general', 'members', 'messages', 'moderation'] as const
type PermissionGroup = (typeof groups)[number]

/** In the order of the forms. */
const groupOf: Readonly<Record<PermissionName, PermissionGroup>> = {
  VIEW_CHANNEL: 'general',
  MANAGE_CHANNELS: 'general',
  MANAGE_WEBHOOKS: 'general',
  MANAGE_SERVER: 'general',
  ADMINISTRATOR: 'general',
  CREATE_INVITE: 'members',
  MANAGE_ROLES: 'members',
  SEND_MESSAGES: 'messages',
  EMBED_LINKS: 'messages',
  MENTION_EVERYONE: 'messages',
  USE_COMMANDS: 'messages',
  MANAGE_MESSAGES: 'moderation',
  MODERATE_MEMBERS: 'moderation',
  KICK_MEMBERS: 'moderation',
  BAN_MEMBERS: 'moderation',
  VIEW_AUDIT_LOG: 'moderation',
}

/** The permissions for which `isShown` is true, by group; without empty groups. */
export function groupPermissions(isShown: (name: PermissionName) => boolean = () => true) {
  const names = Object.keys(groupOf).filter(isPermissionName).filter(isShown)
  return groups
    .map(group => ({ group, names: names.filter(name => groupOf[name] === group) }))
    .filter(({ names }) => names.length > 0)
}
