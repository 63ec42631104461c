import type { AuditAction, AuditChange, AuditLogEntry } from '@gatehouse/protocol/audit-log'
import { isJsonObject } from '@gatehouse/protocol/json-object'
import type { APIAuditLogEntry, APIAuditLogOptions } from 'discord-api-types/v10'
import { toDiscordTimestamp, toImageHash } from '../../webhooks/index.ts'
import { overwriteTypes } from './discord-channel.ts'
import { verificationLevelNumbers } from './discord-guild.ts'
import type { OptionalMembers, Whole } from './whole.ts'

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

/** With changes by any key. */
export type DiscordAuditLogEntry = Whole<
  APIAuditLogEntry,
  OptionalMembers['auditLogEntry'],
  { changes: Change[]; options?: Whole<APIAuditLogOptions, OptionalMembers['auditLogOptions']> }
>

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
    changes: mergeChanges(entry.changes.flatMap(toChanges)),
    ...(reason === null ? {} : { reason }),
    ...readDetails(entry),
  }
}

/** The members that differ from the usual ones. */
function readDetails(entry: AuditLogEntry): Partial<DiscordAuditLogEntry> {
  const { action, changes } = entry
  const [first] = changes
  if (action === 'MESSAGE_DELETE') {
    const { channelId, authorId } = Object.fromEntries(changes.map(({ key, before }) => [key, parse(before)]))
    return {
      target_id: String(authorId),
      options: { channel_id: String(channelId), count: '1' },
      changes: [],
    }
  }
  if (action === 'INVITE_CREATE') return { changes: toInviteChanges(entry, 'after') }
  if (action === 'INVITE_DELETE') return { changes: toInviteChanges(entry, 'before') }
  if (first && (action === 'OVERWRITE_UPDATE' || action === 'OVERWRITE_DELETE'))
    return toOverwriteDetails(first)
  return {}
}

/** Of all members, because clients make an invite of them: discord.py fails without one. */
function toInviteChanges(
  { actor, target, changes, createdAt }: AuditLogEntry,
  side: 'before' | 'after',
): Change[] {
  const recorded: Record<string, unknown> = Object.fromEntries(
    changes.map(change => [change.key, parse(change[side])]),
  )
  const { channelId, creatorId = actor?.id, maxUses = 0, uses = 0, expiresAt, createdAt: start } = recorded
  const end = typeof expiresAt === 'string' ? Date.parse(expiresAt) : undefined
  const from = Date.parse(typeof start === 'string' ? start : createdAt)
  const values = {
    code: target.id,
    channel_id: channelId,
    inviter_id: creatorId,
    max_age: end === undefined ? 0 : Math.round((end - from) / 1000),
    max_uses: maxUses,
    uses,
    temporary: false,
  }
  return Object.entries(values).map(([key, value]) =>
    side === 'after' ? toChange(key, undefined, value) : toChange(key, value, undefined),
  )
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

/** The keys of Discord's API. It has none for the others. */
const names: Readonly<Record<string, string>> = {
  name: 'name',
  icon: 'icon_hash',
  ownerId: 'owner_id',
  verificationLevel: 'verification_level',
  topic: 'topic',
  position: 'position',
  parentId: 'parent_id',
  slowMode: 'rate_limit_per_user',
  permissionOverwrites: 'permission_overwrites',
  timedOutUntil: 'communication_disabled_until',
  permissions: 'permissions',
  color: 'color',
  channelId: 'channel_id',
  avatar: 'avatar_hash',
}

function toChanges({ key, before, after }: AuditChange): Change[] {
  const [from, to] = [toValue(key, parse(before)), toValue(key, parse(after))]
  const name = names[key]
  if (name !== undefined) return [toChange(name, from, to)]
  if (key !== 'roles') return []
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

/** Each key once, because clients find a change by it. Overwrites are recorded one by one. */
function mergeChanges(changes: readonly Change[]): Change[] {
  const merged = new Map<string, Change>()
  for (const { key, old_value: from, new_value: to } of changes) {
    const known = merged.get(key)
    merged.set(key, toChange(key, joinLists(known?.old_value, from), joinLists(known?.new_value, to)))
  }
  return [...merged.values()]
}

function joinLists(known: unknown, added: unknown): unknown {
  return Array.isArray(known) && Array.isArray(added) ? [...known, ...added] : (added ?? known)
}

const levels: ReadonlyMap<unknown, number> = new Map(Object.entries(verificationLevelNumbers))

function toValue(key: string, value: unknown): unknown {
  if (key === 'verificationLevel') return levels.get(value)
  if (key === 'timedOutUntil' && typeof value === 'string') return toDiscordTimestamp(value)
  if ((key === 'icon' || key === 'avatar') && typeof value === 'string')
    return toImageHash(value) ?? undefined
  if (key === 'permissionOverwrites' && isJsonObject(value)) {
    const { id, type, allow, deny } = value
    return [{ id, type: type === 'role' ? overwriteTypes.role : overwriteTypes.member, allow, deny }]
  }
  return value
}

function parse(json: string | null): unknown {
  return json === null ? undefined : JSON.parse(json)
}
