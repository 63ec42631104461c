import type { AuditChange } from '@gatehouse/protocol/audit-log'
import type { MoveChannelsBody, Overwrite } from '@gatehouse/protocol/channels'
import { permissionFor } from '@gatehouse/protocol/permissions'
import { type Actor, changesOf } from '../../audit/index.ts'
import { invalid } from '../../errors/app-error.ts'
import type { Transaction } from '../../storage/database.ts'
import type { Deps } from '../community-deps.ts'
import {
  type ChannelRecord,
  listVisibleChannelIds,
  lockServerRow,
  requireChannel,
  requireServer,
  type ServerAccess,
} from '../permissions/index.ts'
import * as store from './channel-store.ts'
import { actOn, publishChannelUpdate, recordedKeys, requireCategory } from './channels.ts'
import { applyOverwriteChanges, findOverwriteChanges } from './overwrite-sets.ts'

/** Changes the order and the categories of channels in one transaction (community/categories). */
export function createChannelMoves({
  db,
  clock,
  events,
  auditLog,
}: Pick<Deps, 'db' | 'clock' | 'events' | 'auditLog'>) {
  /** Requires what each change of an overwrite requires. */
  async function copyOverwrites(
    tx: Transaction,
    access: ServerAccess,
    channel: ChannelRecord,
    own: readonly Overwrite[],
    inherited: readonly Overwrite[],
  ): Promise<AuditChange[]> {
    const { id: channelId } = channel
    const { userId } = access.member
    const { permissions } = await requireChannel(tx, clock(), userId, channelId, permissionFor.manageChannels)
    const sets = { channelId, permissions, own, wanted: inherited }
    return applyOverwriteChanges(tx, channel, await findOverwriteChanges(tx, clock(), access, sets))
  }

  return {
    /**
     * Requires MANAGE_CHANNELS on the server. CHANNEL_UPDATE is published for each channel that changes, in order.
     * Returns the number of those after the first.
     */
    moveChannels(actor: Actor, serverId: string, moves: MoveChannelsBody): Promise<number> {
      return db.transaction(async tx => {
        const { userId } = actor
        await requireServer(tx, clock(), userId, serverId, permissionFor.manageChannels)
        await lockServerRow(tx, serverId)
        const access = await requireServer(tx, clock(), userId, serverId, permissionFor.manageChannels)
        const visible = new Set(await listVisibleChannelIds(tx, userId, serverId))
        const channels = new Map((await store.listChannels(tx, serverId)).map(entry => [entry[0].id, entry]))
        let changed = 0
        for (const [index, { id, position, parentId, lockPermissions = false }] of moves.entries()) {
          const [channel, own] = (visible.has(id) && channels.get(id)) || []
          if (!channel || !own) {
            const message = 'must be a channel of this server that you may view'
            throw invalid(`[${index}].id`, 'unknown_channel', message)
          }
          const moved = {
            ...channel,
            position: position ?? channel.position,
            parentId: parentId === undefined ? channel.parentId : parentId,
          }
          if (moved.parentId !== null && moved.parentId !== channel.parentId) {
            const inCategory = { ...channel, parentId: moved.parentId }
            await requireCategory(tx, clock(), userId, inCategory, `[${index}].parentId`)
          }
          const changes = changesOf(recordedKeys, channel, moved)
          if (changes.length > 0) await store.updateChannel(tx, moved)
          const inherited = lockPermissions ? channels.get(moved.parentId ?? '')?.[1] : undefined
          if (inherited) changes.push(...(await copyOverwrites(tx, access, moved, own, inherited)))
          channels.set(id, [moved, inherited ?? own])
          if (changes.length === 0) continue
          await auditLog.record(tx, { ...actOn(moved, actor), changes, action: 'CHANNEL_UPDATE' })
          await publishChannelUpdate(tx, events, moved)
          changed++
        }
        return Math.max(0, changed - 1)
      })
    },
  }
}
