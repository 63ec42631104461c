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
  requireGrantable,
  requireServer,
  type ServerAccess,
} from '../permissions/index.ts'
import * as store from './channel-store.ts'
import { actOn, publishChannelUpdate, recordedKeys, requireCategory, requireSpace } from './channels.ts'
import { changedPermissions, describeOverwriteChange, findManageableTarget } from './overwrite-targets.ts'

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
    const toRecord = (overwrite: Overwrite) => store.toRecordOf(channel.id, overwrite)
    const before = new Map(own.map(overwrite => [overwrite.id, toRecord(overwrite)]))
    const after = new Map(inherited.map(overwrite => [overwrite.id, toRecord(overwrite)]))
    const { userId } = access.member
    const { permissions } = await requireChannel(
      tx,
      clock(),
      userId,
      channel.id,
      permissionFor.manageChannels,
    )
    const changes: AuditChange[] = []
    for (const id of new Set([...before.keys(), ...after.keys()])) {
      const [from, to] = [before.get(id), after.get(id)]
      const changed = changedPermissions(from, to)
      if (changed === 0n && from && to) continue
      requireGrantable(permissions, changed)
      const target = to ?? from
      // The result is ignored: the overwrite may be of a member who left the server.
      if (target) await findManageableTarget(tx, clock(), access, target)
      if (to) await store.putOverwrite(tx, to)
      else await store.deleteOverwrite(tx, channel.id, id)
      changes.push(...(await describeOverwriteChange(tx, access.server.id, from, to)))
    }
    await requireSpace(tx, channel, 0)
    return changes
  }

  return {
    /** Requires MANAGE_CHANNELS on the server. CHANNEL_UPDATE is published for each channel that changes, in order. */
    moveChannels(actor: Actor, serverId: string, moves: MoveChannelsBody): Promise<void> {
      return db.transaction(async tx => {
        const { userId } = actor
        await requireServer(tx, clock(), userId, serverId, permissionFor.manageChannels)
        await lockServerRow(tx, serverId)
        const access = await requireServer(tx, clock(), userId, serverId, permissionFor.manageChannels)
        const visible = new Set(await listVisibleChannelIds(tx, userId, serverId))
        const channels = new Map((await store.listChannels(tx, serverId)).map(entry => [entry[0].id, entry]))
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
        }
      })
    },
  }
}
