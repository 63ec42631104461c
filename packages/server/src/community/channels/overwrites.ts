import type { OverwriteBody } from '@gatehouse/protocol/channels'
import type { Actor } from '../../audit/index.ts'
import { notFound } from '../../errors/app-error.ts'
import type { Transaction } from '../../storage/database.ts'
import type { Deps } from '../community-deps.ts'
import { type ChannelAccess, requireServer } from '../permissions/index.ts'
import * as store from './channel-store.ts'
import { actOn, publishChannelUpdate, requireLockedChannel } from './channels.ts'
import { listSynced, parseBits, requireSpace } from './overwrite-sets.ts'
import {
  changedPermissions,
  describeOverwriteChange,
  type OverwriteChange,
  requireOverwriteChange,
} from './overwrite-targets.ts'

export type Overwrites = ReturnType<typeof createOverwrites>

/**
 * Both operations require MANAGE_CHANNELS, and throw 403 as `requireOverwriteChange`. They return the number of other
 * channels that changed: those of a category with the same overwrites.
 */
export function createOverwrites({
  db,
  clock,
  events,
  auditLog,
}: Pick<Deps, 'db' | 'clock' | 'events' | 'auditLog'>) {
  /** False if the role or member is not in the server. */
  async function requireChange(
    tx: Transaction,
    { server, permissions }: ChannelAccess,
    { userId }: Actor,
    change: OverwriteChange,
  ): Promise<boolean> {
    if (server === undefined) return false
    const access = await requireServer(tx, clock(), userId, server.id)
    return requireOverwriteChange(tx, clock(), access, permissions, change)
  }

  /** Records and publishes the change of one overwrite. */
  async function finish(
    tx: Transaction,
    actor: Actor,
    channel: ChannelAccess['channel'],
    before: store.OverwriteRecord | undefined,
    after: store.OverwriteRecord | undefined,
  ): Promise<void> {
    const changes = await describeOverwriteChange(tx, channel.serverId ?? '', before, after)
    const action = after === undefined ? 'OVERWRITE_DELETE' : 'OVERWRITE_UPDATE'
    await auditLog.record(tx, { ...actOn(channel, actor), action, changes })
    await publishChannelUpdate(tx, events, channel)
  }

  return {
    /** 404 for a target that is not a role or member of the server. */
    putOverwrite(actor: Actor, channelId: string, targetId: string, body: OverwriteBody): Promise<number> {
      return db.transaction(async tx => {
        const access = await requireLockedChannel(tx, clock, actor.userId, channelId)
        const overwrite = { channelId, targetId, type: body.type, ...parseBits('', body) }
        const current = await store.findOverwrite(tx, channelId, targetId)
        if (!(await requireChange(tx, access, actor, { before: current, after: overwrite }))) throw notFound()
        if (current !== undefined && changedPermissions(current, overwrite) === 0n) return 0
        const synced = await listSynced(tx, access.channel)
        if (current === undefined) await requireSpace(tx, access.channel, 1, synced.length)
        for (const { id } of [access.channel, ...synced]) {
          await store.putOverwrite(tx, { ...overwrite, channelId: id })
        }
        await finish(tx, actor, access.channel, current, overwrite)
        for (const channel of synced) await publishChannelUpdate(tx, events, channel)
        return synced.length
      })
    },

    deleteOverwrite(actor: Actor, channelId: string, targetId: string): Promise<number> {
      return db.transaction(async tx => {
        const access = await requireLockedChannel(tx, clock, actor.userId, channelId)
        const current = await store.findOverwrite(tx, channelId, targetId)
        if (current === undefined) throw notFound()
        // The result is ignored: the overwrite of a member who left the server can be deleted.
        await requireChange(tx, access, actor, { before: current, after: undefined })
        const synced = await listSynced(tx, access.channel)
        for (const { id } of [access.channel, ...synced]) await store.deleteOverwrite(tx, id, targetId)
        await finish(tx, actor, access.channel, current, undefined)
        for (const channel of synced) await publishChannelUpdate(tx, events, channel)
        return synced.length
      })
    },

    /** For a user who is no longer a member (community/removed-member). The caller has locked the server. */
    async deleteOverwritesOfMember(
      tx: Transaction,
      member: Parameters<typeof store.deleteOverwritesOfMember>[1],
    ): Promise<void> {
      for (const channel of await store.deleteOverwritesOfMember(tx, member)) {
        await publishChannelUpdate(tx, events, channel)
      }
    },
  }
}
