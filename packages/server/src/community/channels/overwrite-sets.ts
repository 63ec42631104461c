import type { AuditChange } from '@gatehouse/protocol/audit-log'
import type { Overwrite } from '@gatehouse/protocol/channels'
import { maxOverwrites, maxServerOverwrites } from '@gatehouse/protocol/limits'
import { invalid } from '../../errors/app-error.ts'
import { limitReached } from '../../i18n/localized-error.ts'
import type { Transaction } from '../../storage/database.ts'
import { type ChannelRecord, parsePermissionBits, type ServerAccess } from '../permissions/index.ts'
import * as store from './channel-store.ts'
import {
  changedPermissions,
  describeOverwriteChange,
  type OverwriteChange,
  requireOverwriteChange,
} from './overwrite-targets.ts'

/**
 * Throws 409 `limit_reached` if the channel, and `others` on the same server, cannot have `count` more overwrites each.
 * The server is locked.
 */
export async function requireSpace(
  tx: Transaction,
  channel: Pick<ChannelRecord, 'id' | 'serverId'>,
  count: number,
  others = 0,
): Promise<void> {
  const { ofChannel, ofServer } = await store.countOverwrites(tx, channel)
  if (ofChannel + count > maxOverwrites) throw limitReached('overwrites')
  if (ofServer + count * (1 + others) > maxServerOverwrites) throw limitReached('serverOverwrites')
}

/** The bits of an overwrite in a request. Throws 400 below `path` for unknown bits, and for one in both sets. */
export function parseBits(path: string, given: Pick<Overwrite, 'allow' | 'deny'>) {
  const allow = parsePermissionBits(`${path}allow`, given.allow)
  const deny = parsePermissionBits(`${path}deny`, given.deny)
  if ((allow & deny) !== 0n) {
    throw invalid(`${path}deny`, 'conflict', 'must not contain a permission that "allow" contains')
  }
  return { allow, deny }
}

/**
 * The changes that make `wanted` the overwrites of the channel. Throws 403 unless the caller, with `permissions` in the
 * channel, may make each of them, and 400 at `path` for a new one of what is not a role or member of the server.
 */
export async function findOverwriteChanges(
  tx: Transaction,
  now: number,
  access: ServerAccess,
  {
    channelId,
    permissions,
    own,
    wanted,
    path,
  }: {
    channelId: string
    permissions: bigint
    own: readonly Overwrite[]
    wanted: readonly Overwrite[]
    /** That of `wanted` in the request. Without it, overwrites of members who left the server are accepted. */
    path?: string
  },
): Promise<OverwriteChange[]> {
  const before = new Map(own.map(overwrite => [overwrite.id, store.toRecordOf(channelId, overwrite)]))
  const after = new Map<string, store.OverwriteRecord>()
  const changes: OverwriteChange[] = []
  for (const [index, overwrite] of wanted.entries()) {
    const { id } = overwrite
    const place = path === undefined ? '' : `${path}[${index}].`
    const [from, stored] = [before.get(id), store.toRecordOf(channelId, overwrite)]
    const to = path === undefined ? stored : { ...stored, ...parseBits(place, overwrite) }
    if (after.has(id)) throw invalid(`${place}id`, 'duplicate', 'must not be that of another overwrite')
    after.set(id, to)
    if (from && changedPermissions(from, to) === 0n) continue
    const change = { before: from, after: to }
    const exists = await requireOverwriteChange(tx, now, access, permissions, change)
    if (!exists && path !== undefined) {
      throw invalid(`${place}id`, 'unknown_target', 'must be a role or member of this server')
    }
    changes.push(change)
  }
  for (const [id, from] of before) {
    if (after.has(id)) continue
    const change = { before: from, after: undefined }
    // The result is ignored: the overwrite may be of a member who left the server.
    await requireOverwriteChange(tx, now, access, permissions, change)
    changes.push(change)
  }
  return changes
}

/** Stores the changes for the channel, which `findOverwriteChanges` found for it or for its category. */
export async function applyOverwriteChanges(
  tx: Transaction,
  channel: Pick<ChannelRecord, 'id' | 'serverId'>,
  changes: readonly OverwriteChange[],
): Promise<AuditChange[]> {
  const described: AuditChange[] = []
  for (const { before, after } of changes) {
    if (after) await store.putOverwrite(tx, { ...after, channelId: channel.id })
    else if (before) await store.deleteOverwrite(tx, channel.id, before.targetId)
    described.push(...(await describeOverwriteChange(tx, channel.serverId ?? '', before, after)))
  }
  if (changes.length > 0) await requireSpace(tx, channel, 0)
  return described
}

/** The channels of a category that have the same overwrites, which change with it (community/categories). */
export async function listSynced(
  tx: Transaction,
  { id, serverId, type }: ChannelRecord,
): Promise<ChannelRecord[]> {
  if (type !== 'category' || serverId === null) return []
  const channels = await store.listChannels(tx, serverId)
  const own = JSON.stringify(await store.listOverwrites(tx, id))
  return channels
    .filter(([channel, overwrites]) => channel.parentId === id && JSON.stringify(overwrites) === own)
    .map(([channel]) => channel)
}
