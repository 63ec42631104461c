import { setImmediate } from 'node:timers/promises'
import type { AuditChange } from '@gatehouse/protocol/audit-log'
import type { Channel, CreateChannelBody, Overwrite, UpdateChannelBody } from '@gatehouse/protocol/channels'
import { maxChannels } from '@gatehouse/protocol/limits'
import { permissionFor } from '@gatehouse/protocol/permissions'
import type { User } from '@gatehouse/protocol/users'
import { findUser, userView } from '../../accounts/users/index.ts'
import { type Act, type Actor, changesOf } from '../../audit/index.ts'
import { invalid, notFound } from '../../errors/app-error.ts'
import { limitReached } from '../../i18n/localized-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import type { Deps } from '../community-deps.ts'
import {
  type ChannelAccess,
  type ChannelRecord,
  findChannelAccess,
  listVisibleChannelIds,
  lockServerRow,
  requireChannel,
  requirePermissions,
  requireServer,
  type ServerAccess,
  toChannelRecord,
} from '../permissions/index.ts'
import * as store from './channel-store.ts'
import { applyOverwriteChanges, findOverwriteChanges, listSynced, requireSpace } from './overwrite-sets.ts'
import { describeOverwriteChange, privateOverwrites } from './overwrite-targets.ts'

export type Channels = ReturnType<typeof createChannels>

interface ChangedChannel {
  channel: Channel
  others: number
}

export function createChannels({ db, clock, ids, events, auditLog }: Omit<Deps, 'domainEvents'>) {
  async function insertChannel(
    tx: Transaction,
    fields: Pick<ChannelRecord, 'type' | 'name' | 'topic' | 'parentId' | 'slowMode'> & {
      serverId: string
      position?: number | undefined
    },
  ): Promise<ChannelRecord> {
    const { position = await store.nextPosition(tx, fields.serverId) } = fields
    const channel: ChannelRecord = { id: ids(), ...fields, position }
    await store.insertChannel(tx, channel, clock())
    return channel
  }

  /** Of a category, those of the `others` with the same overwrites too (community/categories). */
  async function replaceOverwrites(
    tx: Transaction,
    userId: string,
    { channel, server, permissions }: ChannelAccess,
    wanted: readonly Overwrite[],
  ): Promise<{ described: AuditChange[]; others: number }> {
    if (server === undefined) throw notFound()
    const access = await requireServer(tx, clock(), userId, server.id)
    const own = await store.listOverwrites(tx, channel.id)
    const sets = { channelId: channel.id, permissions, own, wanted, path: 'permissionOverwrites' }
    const changes = await findOverwriteChanges(tx, clock(), access, sets)
    const synced = changes.length === 0 ? [] : await listSynced(tx, channel)
    const described = await applyOverwriteChanges(tx, channel, changes)
    for (const other of synced) {
      await applyOverwriteChanges(tx, other, changes)
      await publishChannelUpdate(tx, events, other)
    }
    return { described, others: synced.length }
  }

  return {
    /** The channels that the user can view, by position. 404 if the user is not a member. */
    async listChannels(userId: string, serverId: string): Promise<Channel[]> {
      await requireServer(db, clock(), userId, serverId)
      const visible = new Set(await listVisibleChannelIds(db, userId, serverId))
      // Both reads take long on a server at its limits, and statements of SQLite block the event loop
      // (limits/event-loop).
      await setImmediate()
      const channels = await listServerChannels(db, serverId)
      return channels.filter(channel => visible.has(channel.id))
    },

    /**
     * Requires MANAGE_CHANNELS on the server. By default, the channel gets the last position. Nobody sees a private
     * channel before it has its overwrites.
     */
    createChannel(actor: Actor, serverId: string, body: CreateChannelBody): Promise<Channel> {
      return db.transaction(async tx => {
        await requireServer(tx, clock(), actor.userId, serverId, permissionFor.manageChannels)
        await lockServerRow(tx, serverId)
        const access = await requireServer(tx, clock(), actor.userId, serverId, permissionFor.manageChannels)
        if ((await store.countChannels(tx, serverId)) >= maxChannels) throw limitReached('channels')
        const { name, type = 'text', parentId = null, position, slowMode = 0 } = body
        if (parentId !== null) await requireCategory(tx, clock(), actor.userId, { serverId, type, parentId })
        const record = await insertChannel(tx, {
          ...{ serverId, type, name, topic: body.topic || null, position, parentId, slowMode },
        })
        const overwrites = await findFirstOverwrites(tx, clock(), access, record, body)
        await insertOverwrites(tx, record, overwrites)
        const channel = toChannel(record, await store.listOverwrites(tx, record.id))
        const changes = changesOf(slowMode === 0 ? createdKeys : recordedKeys, undefined, record)
        for (const overwrite of overwrites) {
          changes.push(...(await describeOverwriteChange(tx, serverId, undefined, overwrite)))
        }
        await auditLog.record(tx, { ...actOn(record, actor), changes, action: 'CHANNEL_CREATE' })
        tx.afterCommit(() => events.toServer(serverId, { t: 'CHANNEL_CREATE', d: channel }))
        return channel
      })
    },

    /** Creates the first channel of a new server. It publishes no event, because the server has no members yet. */
    async createInitialChannel(tx: Transaction, channel: { serverId: string; name: string }): Promise<void> {
      await insertChannel(tx, { ...channel, type: 'text', topic: null, parentId: null, slowMode: 0 })
    },

    /** Also finds a direct message of the user. */
    async getChannel(userId: string, channelId: string): Promise<Channel> {
      const { channel } = await requireChannel(db, clock(), userId, channelId)
      if (channel.type === 'dm') return toDirectMessage(channelId, await findRecipient(db, channelId, userId))
      return toChannel(channel, await store.listOverwrites(db, channelId))
    },

    /**
     * Requires MANAGE_CHANNELS in the channel; for another category also on the server and in the category, and for
     * overwrites what each change of one requires. `others` is the number of other channels that changed with it.
     */
    updateChannel(actor: Actor, channelId: string, body: UpdateChannelBody): Promise<ChangedChannel> {
      return db.transaction(async tx => {
        const access = await requireLockedChannel(tx, clock, actor.userId, channelId)
        const { channel } = access
        const record = {
          ...channel,
          name: body.name ?? channel.name,
          topic: body.topic === undefined ? channel.topic : body.topic || null,
          position: body.position ?? channel.position,
          slowMode: body.slowMode ?? channel.slowMode,
          parentId: body.parentId === undefined ? channel.parentId : body.parentId,
        }
        if (record.parentId !== channel.parentId) await requireMove(tx, clock(), actor.userId, record)
        const changes = changesOf(recordedKeys, channel, record)
        if (changes.length > 0) await store.updateChannel(tx, record)
        let others = 0
        if (body.permissionOverwrites) {
          const replaced = await replaceOverwrites(tx, actor.userId, access, body.permissionOverwrites)
          changes.push(...replaced.described)
          others = replaced.others
        }
        if (changes.length === 0) {
          return { channel: toChannel(channel, await store.listOverwrites(tx, channelId)), others }
        }
        await auditLog.record(tx, { ...actOn(record, actor), changes, action: 'CHANNEL_UPDATE' })
        return { channel: await publishChannelUpdate(tx, events, record), others }
      })
    },

    /**
     * Requires MANAGE_CHANNELS in the channel, which no user has in a direct message. Returns the number of other
     * channels that changed: those of a category.
     */
    deleteChannel(actor: Actor, channelId: string): Promise<number> {
      return db.transaction(async tx => {
        const { channel } = await requireLockedChannel(tx, clock, actor.userId, channelId)
        const { id, serverId } = channel
        const deleted = toChannel(channel, await store.listOverwrites(tx, id))
        if (serverId === null || !(await store.markDeleted(tx, id, clock()))) return 0
        const children = channel.type === 'category' ? await store.clearParent(tx, channel) : []
        for (const child of children) await publishChannelUpdate(tx, events, child)
        const act = { ...actOn(channel, actor), changes: changesOf(recordedKeys, channel, undefined) }
        await auditLog.record(tx, { ...act, action: 'CHANNEL_DELETE' })
        tx.afterCommit(() => events.toServer(serverId, { t: 'CHANNEL_DELETE', d: { id, serverId }, deleted }))
        return children.length
      })
    },
  }
}

const createdKeys = ['name', 'topic', 'position', 'parentId'] as const
export const recordedKeys = [...createdKeys, 'slowMode'] as const

/** An act on a channel of a server, for the audit log. */
export function actOn({ id, serverId, name, ...channel }: ChannelRecord, actor: Actor): Omit<Act, 'action'> {
  const type = channel.type === 'category' ? 'category' : 'channel'
  return { serverId, actor, target: { type, id, name: name ?? '' } }
}

/**
 * Requires MANAGE_CHANNELS in the channel. Reads the channel and the permissions under a lock, so that a change neither
 * undoes a concurrent change of the same channel nor publishes the state before it.
 */
export async function requireLockedChannel(
  tx: Transaction,
  clock: Clock,
  userId: string,
  channelId: string,
): Promise<ChannelAccess> {
  // Before the lock, so that a user without the permission locks nothing.
  const { server } = await requireChannel(tx, clock(), userId, channelId, permissionFor.manageChannels)
  if (server !== undefined) await lockServerRow(tx, server.id)
  return requireChannel(tx, clock(), userId, channelId, permissionFor.manageChannels)
}

/**
 * Throws 400 at `path` unless the channel can be in the category, 403 without MANAGE_CHANNELS in it
 * (community/categories).
 */
export async function requireCategory(
  tx: Transaction,
  now: number,
  userId: string,
  { serverId, type, parentId }: Pick<ChannelRecord, 'serverId' | 'type'> & { parentId: string },
  path = 'parentId',
): Promise<void> {
  const access = await findChannelAccess(tx, now, userId, parentId)
  if (access?.channel.type !== 'category' || access.channel.serverId !== serverId || type === 'category') {
    const message = 'must be a category of this server that you may view, and absent for a category'
    throw invalid(path, 'unknown_channel', message)
  }
  requirePermissions(access, permissionFor.manageChannels)
}

/** Requires MANAGE_CHANNELS on the server. Throws as `requireCategory`. */
async function requireMove(
  tx: Transaction,
  now: number,
  userId: string,
  { serverId, type, parentId }: ChannelRecord,
): Promise<void> {
  if (serverId === null) throw notFound()
  await requireServer(tx, now, userId, serverId, permissionFor.manageChannels)
  if (parentId !== null) await requireCategory(tx, now, userId, { serverId, type, parentId })
}

/** Those of the request, of a private channel, or of the category. */
async function findFirstOverwrites(
  tx: Transaction,
  now: number,
  access: ServerAccess,
  { id: channelId, parentId }: ChannelRecord,
  body: CreateChannelBody,
): Promise<store.OverwriteRecord[]> {
  if (body.permissionOverwrites) {
    if (body.private) throw invalid('private', 'conflict', 'must be absent with "permissionOverwrites"')
    const { permissions } = access
    const wanted = body.permissionOverwrites
    const sets = { channelId, permissions, own: [], wanted, path: 'permissionOverwrites' }
    const changes = await findOverwriteChanges(tx, now, access, sets)
    return changes.flatMap(({ after }) => after ?? [])
  }
  if (body.private) return privateOverwrites(tx, now, access, { channelId, admitted: body.private })
  const inherited = parentId === null ? [] : await store.listOverwrites(tx, parentId)
  return inherited.map(overwrite => store.toRecordOf(channelId, overwrite))
}

async function insertOverwrites(
  tx: Transaction,
  channel: ChannelRecord,
  overwrites: readonly store.OverwriteRecord[],
): Promise<void> {
  if (overwrites.length === 0) return
  await requireSpace(tx, channel, overwrites.length)
  for (const overwrite of overwrites) await store.putOverwrite(tx, overwrite)
}

/** All channels of the server by position, also those that a user cannot view. */
export async function listServerChannels(sql: Sql, serverId: string): Promise<Channel[]> {
  const channels = await store.listChannels(sql, serverId)
  return channels.map(([record, overwrites]) => toChannel(record, overwrites))
}

/**
 * What is said of channels to those who can view them no longer: ids and types, which never change. A channel may be
 * deleted.
 */
export async function describeHiddenChannels(
  sql: Sql,
  hidden: readonly { id: string; serverId: string }[],
): Promise<Map<string, Channel>> {
  const types = await store.findTypes(
    sql,
    hidden.map(({ id }) => id),
  )
  return new Map(hidden.map(ids => [ids.id, toHiddenChannel({ ...ids, type: types.get(ids.id) ?? 'text' })]))
}

/** Without values. */
export function toHiddenChannel(channel: Pick<ChannelRecord, 'id' | 'serverId' | 'type'>): Channel {
  const values = { name: channel.serverId === null ? null : '', topic: null, parentId: null }
  return toChannel({ ...channel, ...values, position: 0, slowMode: 0 }, [])
}

/** Publishes CHANNEL_UPDATE after the commit and returns its payload. */
export async function publishChannelUpdate(
  tx: Transaction,
  events: Deps['events'],
  record: ChannelRecord,
): Promise<Channel> {
  const channel = toChannel(record, await store.listOverwrites(tx, record.id))
  const { serverId } = record
  if (serverId !== null) tx.afterCommit(() => events.toServer(serverId, { t: 'CHANNEL_UPDATE', d: channel }))
  return channel
}

function toChannel(record: ChannelRecord, permissionOverwrites: Overwrite[]): Channel {
  return { ...toChannelRecord(record), permissionOverwrites }
}

/** `recipient`: the other user of the direct message. */
export function toDirectMessage(id: string, recipient: User): Channel {
  return { ...toHiddenChannel({ id, serverId: null, type: 'dm' }), recipient }
}

async function findRecipient(sql: Sql, channelId: string, userId: string): Promise<User> {
  const recipientId = await store.findRecipientId(sql, channelId, userId)
  const recipient = recipientId === undefined ? undefined : await findUser(sql, recipientId)
  if (recipient === undefined) throw notFound()
  return userView(recipient)
}
