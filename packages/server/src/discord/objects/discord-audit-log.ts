import type { AuditAction, AuditChange, AuditLogEntry } from '@gatehouse/protocol/audit-log'
import { isJsonObject } from '@gatehouse/protocol/json-object'
import type { APIAuditLogEntry, APIAuditLogOptions, AuditLogOptionsType } from 'discord-api-types/v10'
import { verificationLevelNumbers } from './discord-guild.ts'

/** The acts that Discord's API has too, with its numbers. */
export const auditEventNumbers: Readonly<Partial<Record<AuditAction, number>>> = {
  SERVER_UPDATE: 1,
  SERVER_TRANSFER: 1,
  CHANNEL_CREATE: 10,
  CHANNEL_UPDATE: 11,
  CHANNEL_DELETE: 12,
  OVERWRITE_UPDATE: 14,
  OVERWRITE_DELETE: 15,
  MEMBER_KICK: 20,
  BAN_ADD: 22,
  BAN_REMOVE: 23,
  MEMBER_UPDATE: 24,
  MEMBER_ROLE_UPDATE: 25,
  BOT_ADD: 28,
  BOT_REMOVE: 20,
  ROLE_CREATE: 30,
  ROLE_UPDATE: 31,
  ROLE_DELETE: 32,
  INVITE_CREATE: 40,
  INVITE_DELETE: 42,
  WEBHOOK_CREATE: 50,
  WEBHOOK_UPDATE: 51,
  WEBHOOK_DELETE: 52,
  MESSAGE_DELETE: 72,
  COMMAND_PERMISSION_UPDATE: 121,
}

/** CHANNEL_OVERWRITE_CREATE, which is an update without a value before here. */
export const overwriteCreate = 13

interface Change {
  key: string
  old_value?: unknown
  new_value?: unknown
}

/** `APIAuditLogEntry` with changes by any key, and the values of its string enum. */
export type DiscordAuditLogEntry = Omit<APIAuditLogEntry, 'changes' | 'options'> & {
  changes: Change[]
  options?: Omit<APIAuditLogOptions, 'type'> & { type?: `${AuditLogOptionsType}` }
}

/** Undefined for an act that Discord's API does not have. */
export function toDiscordAuditLogEntry(entry: AuditLogEntry): DiscordAuditLogEntry | undefined {
  const number = auditEventNumbers[entry.action]
  if (number === undefined) return undefined
  const { id, actor, target, reason } = entry
  return {
    id,
    action_type: number,
    user_id: actor?.id ?? null,
    target_id: target.type === 'invite' ? null : target.id,
    changes: entry.changes.flatMap(toChanges),
    ...(reason === null ? {} : { reason }),
    ...readDetails(entry),
  }
}

/** The members that differ from the usual ones. */
function readDetails({ action, target, changes }: AuditLogEntry): Partial<DiscordAuditLogEntry> {
  const [first] = changes
  if (action === 'MESSAGE_DELETE') {
    const { channelId, authorId } = Object.fromEntries(changes.map(({ key, before }) => [key, parse(before)]))
    return {
      target_id: String(authorId),
      options: { channel_id: String(channelId), count: '1' },
      changes: [],
    }
  }
  if (action === 'INVITE_CREATE' || action === 'INVITE_DELETE') {
    const code = action === 'INVITE_CREATE' ? { new_value: target.id } : { old_value: target.id }
    return { changes: [{ key: 'code', ...code }, ...changes.flatMap(toChanges)] }
  }
  if (first && (action === 'OVERWRITE_UPDATE' || action === 'OVERWRITE_DELETE'))
    return toOverwriteDetails(first)
  return {}
}

function toOverwriteDetails({ before, after }: AuditChange): Partial<DiscordAuditLogEntry> {
  const [from, to] = [parse(before), parse(after)].map(value => (isJsonObject(value) ? value : undefined))
  const overwrite = to ?? from ?? {}
  const id = String(overwrite.id)
  return {
    ...(from === undefined ? { action_type: overwriteCreate } : {}),
    options:
      overwrite.type === 'role' ? { id, type: '0', role_name: String(overwrite.name) } : { id, type: '1' },
    changes: ['allow', 'deny'].map(key => toChange(key, from?.[key], to?.[key])),
  }
}

const names: Readonly<Record<string, string>> = {
  icon: 'icon_hash',
  ownerId: 'owner_id',
  verificationLevel: 'verification_level',
  parentId: 'parent_id',
  slowMode: 'rate_limit_per_user',
  permissionOverwrites: 'permission_overwrites',
  timedOutUntil: 'communication_disabled_until',
  maxUses: 'max_uses',
  channelId: 'channel_id',
  creatorId: 'inviter_id',
  avatar: 'avatar_hash',
}
/** Discord's API has no key for them. */
const omitted = ['invitesPaused', 'expiresAt', 'overrides', 'deleteMessageSeconds']

function toChanges({ key, before, after }: AuditChange): Change[] {
  if (omitted.includes(key)) return []
  const [from, to] = [toValue(key, parse(before)), toValue(key, parse(after))]
  if (key !== 'roles') return [toChange(names[key] ?? key, from, to)]
  return [
    ...(to === undefined ? [] : [{ key: '$add', new_value: to }]),
    ...(from === undefined ? [] : [{ key: '$remove', new_value: from }]),
  ]
}

function toChange(key: string, from: unknown, to: unknown): Change {
  return {
    key,
    ...(from === undefined ? {} : { old_value: from }),
    ...(to === undefined ? {} : { new_value: to }),
  }
}

const levels: ReadonlyMap<unknown, number> = new Map(Object.entries(verificationLevelNumbers))

function toValue(key: string, value: unknown): unknown {
  if (key === 'verificationLevel') return levels.get(value)
  if (key === 'permissionOverwrites' && isJsonObject(value)) {
    const { id, type, allow, deny } = value
    return [{ id, type: type === 'role' ? 0 : 1, allow, deny }]
  }
  return value
}

function parse(json: string | null): unknown {
  return json === null ? undefined : JSON.parse(json)
}
