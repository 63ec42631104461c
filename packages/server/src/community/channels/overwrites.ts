import type { OverwriteBody } from '@gatehouse/protocol/channels'
import type { Actor } from '../../audit/index.ts'
import { notFound } from '../../errors/app-error.ts'
import type { Transaction } from '../../storage/database.ts'
import type { Deps } from '../community-deps.ts'
import { type ChannelAccess, requireGrantable, requireServer } from '../permissions/index.ts'
import * as store from './channel-store.ts'
import { actOn, publishChannelUpdate, requireLockedChannel } from './channels.ts'
import { listSynced, parseBits, requireSpace } from './overwrite-sets.ts'
import { changedPermissions, describeOverwriteChange, findManageableTarget } from './overwrite-targets.ts'

export type Overwrites = ReturnType<typeof createOverwrites>

/**
 * Both operations require MANAGE_CHANNELS and every permission that changes, and throw 403 for a role or member above
 * the caller (community/permission-hierarchy). They return the number of other channels that changed: those of a
 * category with the same overwrites.
 */
export function createOverwrites({
  db,
  clock,
  events,
  auditLog,
}: Pick<Deps, 'db' | 'clock' | 'events' | 'auditLog'>) {
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
        const { allow, deny } = parseBits('', body)
        const target = { targetId, type: body.type }
        if (!(await findTarget(tx, clock(), access, actor.userId, target))) throw notFound()
        const current = await store.findOverwrite(tx, channelId, targetId)
        const changed = changedPermissions(current, { allow, deny })
        requireGrantable(access.permissions, changed)
        if (current !== undefined && changed === 0n) return 0
        const synced = await listSynced(tx, access.channel)
        if (current === undefined) await requireSpace(tx, access.channel, 1, synced.length)
        const overwrite = { channelId, ...target, allow, deny }
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
        await findTarget(tx, clock(), access, actor.userId, current)
        requireGrantable(access.permissions, changedPermissions(current, undefined))
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

async function findTarget(
  tx: Transaction,
  now: number,
  { server }: ChannelAccess,
  userId: string,
  target: Target,
): Promise<boolean> {
  if (server === undefined) return false
  return findManageableTarget(tx, now, await requireServer(tx, now, userId, server.id), target)
}

type Target = Pick<store.OverwriteRecord, 'targetId' | 'type'>
