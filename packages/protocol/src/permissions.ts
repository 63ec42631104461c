import type { InferOutput } from 'valibot'
import { mustBe, type ViolationDetails } from './field-errors.ts'
import { pattern } from './wire.ts'

/** The bits of a permission set. In JSON a set is a decimal string. */
export const Permission = {
  CREATE_INVITE: 1n << 0n,
  KICK_MEMBERS: 1n << 1n,
  BAN_MEMBERS: 1n << 2n,
  ADMINISTRATOR: 1n << 3n,
  MANAGE_CHANNELS: 1n << 4n,
  MANAGE_SERVER: 1n << 5n,
  VIEW_AUDIT_LOG: 1n << 7n,
  VIEW_CHANNEL: 1n << 10n,
  SEND_MESSAGES: 1n << 11n,
  MANAGE_MESSAGES: 1n << 13n,
  EMBED_LINKS: 1n << 14n,
  MENTION_EVERYONE: 1n << 17n,
  MANAGE_ROLES: 1n << 28n,
  MANAGE_WEBHOOKS: 1n << 29n,
  USE_COMMANDS: 1n << 31n,
  MODERATE_MEMBERS: 1n << 40n,
} as const

export type PermissionName = keyof typeof Permission

/**
 * The permissions of the next version, with the names of Discord's documentation (community/reserved-permissions). They
 * are stored, granted and taken as the others, but have no effect and no text.
 */
export const ReservedPermission = {
  ADD_REACTIONS: 1n << 6n,
  ATTACH_FILES: 1n << 15n,
  CHANGE_NICKNAME: 1n << 26n,
  MANAGE_NICKNAMES: 1n << 27n,
  MANAGE_GUILD_EXPRESSIONS: 1n << 30n,
  MANAGE_THREADS: 1n << 34n,
  CREATE_PUBLIC_THREADS: 1n << 35n,
  SEND_MESSAGES_IN_THREADS: 1n << 38n,
  PIN_MESSAGES: 1n << 51n,
} as const

/** Those with an effect. */
export const effectivePermissions: bigint = combine(Permission)

/** All that a set may contain. */
export const allPermissions: bigint = effectivePermissions | combine(ReservedPermission)

function combine(bits: Readonly<Record<string, bigint>>): bigint {
  return Object.values(bits).reduce((set, bit) => set | bit, 0n)
}

/**
 * What most bots need. Without USE_COMMANDS, because a bot cannot use commands: with MANAGE_ROLES it can grant it to
 * others.
 */
export const defaultBot: bigint = Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES | Permission.EMBED_LINKS

/** The permissions of @everyone on a new server. */
export const defaultEveryone: bigint = defaultBot | Permission.USE_COMMANDS | Permission.CREATE_INVITE

/**
 * A permission set in JSON. The service rejects unknown bits with `parsePermissions`; clients read sets with
 * `readPermissions`.
 */
export const PermissionSet = pattern(
  /^(0|[1-9][0-9]{0,19})$/,
  'Bit field of permissions as a decimal string. Unknown bits are rejected.',
)
export type PermissionSet = InferOutput<typeof PermissionSet>

const decimal = /^(?:0|[1-9][0-9]{0,19})$/

/** Parses a decimal set. Undefined if `text` is not a number or has unknown bits. */
export function parsePermissions(text: string): bigint | undefined {
  if (!decimal.test(text)) return undefined
  const set = BigInt(text)
  return (set & ~allPermissions) === 0n ? set : undefined
}

/** The set that the service sent, with the bits that only a newer version knows. Empty if `text` is not a number. */
export function readPermissions(text: string): bigint {
  return decimal.test(text) ? BigInt(text) : 0n
}

export const unknownPermission: ViolationDetails = {
  code: 'unknown_permission',
  message: 'must contain only known permissions',
}

/** What is wrong with a value that should be a set and that no schema has validated. Undefined if it is one. */
export function checkPermissions(value: unknown): ViolationDetails | undefined {
  if (typeof value !== 'string') return mustBe('string', 'null')
  if (!decimal.test(value)) {
    return { code: 'invalid_format', message: 'must be a bit field of permissions as a decimal string' }
  }
  return parsePermissions(value) === undefined ? unknownPermission : undefined
}

export function formatPermissions(set: bigint): PermissionSet {
  return set.toString()
}

/** Whether `set` has every bit of `bits`. Does not treat ADMINISTRATOR specially. */
export function has(set: bigint, bits: bigint): boolean {
  return (set & bits) === bits
}

/** The names of the bits of `set` that have an effect, in the order of the bits. */
export function permissionNames(set: bigint): PermissionName[] {
  return names.filter(name => has(set, Permission[name]))
}

/** The names of all bits of `set`, for errors. */
export function allPermissionNames(set: bigint): string[] {
  const reserved = Object.entries(ReservedPermission).filter(([, bit]) => has(set, bit))
  return [...permissionNames(set), ...reserved.map(([name]) => name)]
}

export function isPermissionName(name: string): name is PermissionName {
  return name in Permission
}

const names = Object.keys(Permission).filter(isPermissionName)

/** What the actions need that the web client hides from users who may not do them. */
export const permissionFor = {
  /** Its name and icon. */
  changeServer: Permission.MANAGE_SERVER,
  viewAuditLog: Permission.VIEW_AUDIT_LOG,
  createInvite: Permission.CREATE_INVITE,
  /** The list, and the deletion of those that others created. */
  manageInvites: Permission.MANAGE_SERVER,
  /** Bans of many users at once, besides `manageBans`. */
  manageManyBans: Permission.MANAGE_SERVER,
  /** Adding bots, and who may use their commands. */
  manageBots: Permission.MANAGE_SERVER,
  /** Those of the server, and those of a member. */
  manageRoles: Permission.MANAGE_ROLES,
  /** Also their overwrites. */
  manageChannels: Permission.MANAGE_CHANNELS,
  manageWebhooks: Permission.MANAGE_WEBHOOKS,
  kickMember: Permission.KICK_MEMBERS,
  manageBans: Permission.BAN_MEMBERS,
  timeOutMember: Permission.MODERATE_MEMBERS,
  sendMessage: Permission.SEND_MESSAGES,
  deleteMessageOfOthers: Permission.MANAGE_MESSAGES,
  /** Besides what the command needs (bots/command-visibility). */
  useCommand: Permission.SEND_MESSAGES | Permission.USE_COMMANDS,
} as const satisfies Record<string, bigint>

/** One of them is enough to see the reports of a server (community/report-queue). */
export const reportPermissions: bigint =
  Permission.MANAGE_MESSAGES | Permission.KICK_MEMBERS | Permission.BAN_MEMBERS | Permission.MODERATE_MEMBERS

/** Whether a member with these permissions on the server sees its reports (community/report-queue). */
export function maySeeReports(set: bigint): boolean {
  return (set & reportPermissions) !== 0n
}

/** In a direct message. */
export const directMessagePermissions: bigint =
  Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES | Permission.EMBED_LINKS

/**
 * The permissions of a member on a server, before the overwrites of a channel (community/permission-order). `roles`:
 * the permissions of @everyone and of the roles of the member.
 */
export function serverPermissions({
  isOwner,
  roles,
  isTimedOut = false,
}: {
  isOwner: boolean
  roles: readonly bigint[]
  isTimedOut?: boolean
}): bigint {
  if (isOwner) return allPermissions
  const set = roles.reduce((all, bits) => all | bits, 0n)
  if (has(set, Permission.ADMINISTRATOR)) return allPermissions
  return isTimedOut ? set & Permission.VIEW_CHANNEL : set
}

/** What a channel allows and denies to a role or member. The overwrite of @everyone has the id of the server. */
export interface OverwriteBits {
  id: string
  allow: bigint
  deny: bigint
}

export interface ChannelMember {
  serverId: string
  userId: string
  /** With or without @everyone. */
  roleIds: ReadonlySet<string>
  /** The permissions on the server, without a time-out. */
  permissions: bigint
  isTimedOut?: boolean
}

/**
 * The permissions of a member in a channel (community/permission-order). Overwrites of other roles and members do not
 * count. Without VIEW_CHANNEL the channel does not exist for the member, whatever else the set contains.
 */
export function channelPermissions(
  overwrites: readonly OverwriteBits[],
  { serverId, userId, roleIds, permissions, isTimedOut = false }: ChannelMember,
): bigint {
  if (has(permissions, Permission.ADMINISTRATOR)) return allPermissions
  let everyone: OverwriteBits | undefined
  let member: OverwriteBits | undefined
  const roles = { allow: 0n, deny: 0n }
  for (const overwrite of overwrites) {
    const { id, allow, deny } = overwrite
    if (id === serverId) everyone = overwrite
    else if (id === userId) member = overwrite
    else if (roleIds.has(id)) {
      roles.allow |= allow
      roles.deny |= deny
    }
  }
  let set = applyOverwrite(permissions, everyone)
  set = applyOverwrite(set, roles)
  set = applyOverwrite(set, member)
  return isTimedOut ? set & Permission.VIEW_CHANNEL : set
}

function applyOverwrite(set: bigint, overwrite: Omit<OverwriteBits, 'id'> | undefined): bigint {
  return overwrite === undefined ? set : (set & ~overwrite.deny) | overwrite.allow
}
