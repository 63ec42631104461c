import { setImmediate } from 'node:timers/promises'
import type { Channel, CreateChannelBody, Overwrite, UpdateChannelBody } from '@gatehouse/protocol/channels'
import { maxChannels, maxOverwrites, maxServerOverwrites } from '@gatehouse/protocol/limits'
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
  toChannelRecord,
} from '../permissions/index.ts'
import * as store from './channel-store.ts'
import { describeOverwriteChange, privateOverwrites } from './overwrite-targets.ts'

export type Channels = ReturnType<typeof createChannels>

export function createChannels({ db, clock, ids, events, auditLog }: Omit<Deps, 'domainEvents'>) {
  async function insertChannel(
    tx: Transaction,
    fields: Pick<ChannelRecord, 'serverId' | 'type' | 'name' | 'topic' | 'parentId'> & { serverId: string },
  ): Promise<ChannelRecord> {
    const position = await store.nextPosition(tx, fields.serverId)
    const channel: ChannelRecord = { id: ids(), ...fields, position, slowMode: 0 }
    await store.insertChannel(tx, channel, clock())
    return channel
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
     * Requires MANAGE_CHANNELS on the server. The channel gets the last position. Nobody sees a private channel before
     * it has its overwrites.
     */
    createChannel(actor: Actor, serverId: string, body: CreateChannelBody): Promise<Channel> {
      return db.transaction(async tx => {
        await requireServer(tx, clock(), actor.userId, serverId, permissionFor.manageChannels)
        await lockServerRow(tx, serverId)
        const access = await requireServer(tx, clock(), actor.userId, serverId, permissionFor.manageChannels)
        if ((await store.countChannels(tx, serverId)) >= maxChannels) throw limitReached('channels')
        const { name, type = 'text', parentId = null } = body
        if (parentId !== null) await requireCategory(tx, clock(), actor.userId, { serverId, type, parentId })
        const record = await insertChannel(tx, { serverId, type, name, topic: body.topic || null, parentId })
        const inherited = parentId === null ? [] : await store.listOverwrites(tx, parentId)
        const overwrites = body.private
          ? await privateOverwrites(tx, clock(), access, { channelId: record.id, admitted: body.private })
          : inherited.map(overwrite => store.toRecordOf(record.id, overwrite))
        await insertOverwrites(tx, record, overwrites)
        const channel = toChannel(record, await store.listOverwrites(tx, record.id))
        const changes = changesOf(createdKeys, undefined, record)
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
      await insertChannel(tx, { ...channel, type: 'text', topic: null, parentId: null })
    },

    /** Also finds a direct message of the user. */
    async getChannel(userId: string, channelId: string): Promise<Channel> {
      const { channel } = await requireChannel(db, clock(), userId, channelId)
      if (channel.type === 'dm') return toDirectMessage(channelId, await findRecipient(db, channelId, userId))
      return toChannel(channel, await store.listOverwrites(db, channelId))
    },

    /** Requires MANAGE_CHANNELS in the channel. */
    updateChannel(actor: Actor, channelId: string, body: UpdateChannelBody): Promise<Channel> {
      return db.transaction(async tx => {
        const { channel } = await requireLockedChannel(tx, clock, actor.userId, channelId)
        const record = {
          ...channel,
          name: body.name ?? channel.name,
          topic: body.topic === undefined ? channel.topic : body.topic || null,
          position: body.position ?? channel.position,
          slowMode: body.slowMode ?? channel.slowMode,
        }
        await store.updateChannel(tx, record)
        const act = { ...actOn(record, actor), changes: changesOf(recordedKeys, channel, record) }
        await auditLog.record(tx, { ...act, action: 'CHANNEL_UPDATE' })
        return publishChannelUpdate(tx, events, record)
      })
    },

    /** Requires MANAGE_CHANNELS in the channel, which no user has in a direct message. */
    async deleteChannel(actor: Actor, channelId: string): Promise<void> {
      await db.transaction(async tx => {
        const { channel } = await requireLockedChannel(tx, clock, actor.userId, channelId)
        const { id, serverId } = channel
        if (serverId === null || !(await store.markDeleted(tx, id, clock()))) return
        if (channel.type === 'category') {
          for (const child of await store.clearParent(tx, channel))
            await publishChannelUpdate(tx, events, child)
        }
        const act = { ...actOn(channel, actor), changes: changesOf(recordedKeys, channel, undefined) }
        await auditLog.record(tx, { ...act, action: 'CHANNEL_DELETE' })
        tx.afterCommit(() => events.toServer(serverId, { t: 'CHANNEL_DELETE', d: { id, serverId } }))
      })
    },
  }
}

const createdKeys = ['name', 'topic', 'position', 'parentId'] as const
export const recordedKeys = [...createdKeys, 'slowMode'] as const

/** An act on a channel of a server, for the audit log. */
export function actOn({ id, serverId, name }: ChannelRecord, actor: Actor): Omit<Act, 'action'> {
  return { serverId, actor, target: { type: 'channel', id, name: name ?? '' } }
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
 * Throws 409 `limit_reached` if the channel, and `others` on the same server, cannot have `count` more overwrites each.
 * The server is locked.
 */
export async function requireSpace(
  tx: Transaction,
  channel: ChannelRecord,
  count: number,
  others = 0,
): Promise<void> {
  const { ofChannel, ofServer } = await store.countOverwrites(tx, channel)
  if (ofChannel + count > maxOverwrites) throw limitReached('overwrites')
  if (ofServer + count * (1 + others) > maxServerOverwrites) throw limitReached('serverOverwrites')
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
  const channel: ChannelRecord = {
    ...{ id, serverId: null, type: 'dm', name: null, topic: null },
    ...{ position: 0, parentId: null, slowMode: 0 },
  }
  return { ...toChannel(channel, []), recipient }
}

async function findRecipient(sql: Sql, channelId: string, userId: string): Promise<User> {
  const recipientId = await store.findRecipientId(sql, channelId, userId)
  const recipient = recipientId === undefined ? undefined : await findUser(sql, recipientId)
  if (recipient === undefined) throw notFound()
  return userView(recipient)
}
