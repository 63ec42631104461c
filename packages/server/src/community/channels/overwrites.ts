import type { OverwriteBody } from '@gatehouse/protocol/channels'
import { maxOverwrites, maxServerOverwrites } from '@gatehouse/protocol/limits'
import { formatPermissions } from '@gatehouse/protocol/permissions'
import { findUser } from '../../accounts/users/index.ts'
import { type Actor, changesOf } from '../../audit/index.ts'
import { invalid, notFound } from '../../errors/app-error.ts'
import { limitReached } from '../../i18n/localized-error.ts'
import type { Transaction } from '../../storage/database.ts'
import type { Deps } from '../community-deps.ts'
import {
  type ChannelAccess,
  findServerAccess,
  parsePermissionBits,
  requireGrantable,
  requireManageableRole,
  requireServer,
  type ServerAccess,
} from '../permissions/index.ts'
import { findRole } from '../roles/index.ts'
import * as store from './channel-store.ts'
import { actOn, publishChannelUpdate, requireLockedChannel } from './channels.ts'

export type Overwrites = ReturnType<typeof createOverwrites>

/**
 * Both operations require MANAGE_CHANNELS and every permission that changes, and throw 403 for a role or member above
 * the caller (community/permission-hierarchy).
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
    const [described, changed] = await Promise.all([
      before && describe(tx, channel, before),
      after && describe(tx, channel, after),
    ])
    const changes = changesOf(['permissionOverwrites'], described, changed)
    const action = after === undefined ? 'OVERWRITE_DELETE' : 'OVERWRITE_UPDATE'
    await auditLog.record(tx, { ...actOn(channel, actor), action, changes })
    await publishChannelUpdate(tx, events, channel)
  }

  return {
    /** 404 for a target that is not a role or member of the server. */
    putOverwrite(actor: Actor, channelId: string, targetId: string, body: OverwriteBody): Promise<void> {
      return db.transaction(async tx => {
        const access = await requireLockedChannel(tx, clock, actor.userId, channelId)
        const allow = parsePermissionBits('allow', body.allow)
        const deny = parsePermissionBits('deny', body.deny)
        if ((allow & deny) !== 0n) {
          throw invalid('deny', 'conflict', 'must not contain a permission that "allow" contains')
        }
        const target = { targetId, type: body.type }
        if (!(await findTarget(tx, clock(), access, actor.userId, target))) throw notFound()
        const current = await store.findOverwrite(tx, channelId, targetId)
        const changed = ((current?.allow ?? 0n) ^ allow) | ((current?.deny ?? 0n) ^ deny)
        requireGrantable(access.permissions, changed)
        if (current === undefined) {
          const { ofChannel, ofServer } = await store.countOverwrites(tx, access.channel)
          if (ofChannel >= maxOverwrites) throw limitReached('overwrites')
          if (ofServer >= maxServerOverwrites) throw limitReached('serverOverwrites')
        }
        const overwrite = { channelId, ...target, allow, deny }
        await store.putOverwrite(tx, overwrite)
        await finish(tx, actor, access.channel, current, overwrite)
      })
    },

    deleteOverwrite(actor: Actor, channelId: string, targetId: string): Promise<void> {
      return db.transaction(async tx => {
        const access = await requireLockedChannel(tx, clock, actor.userId, channelId)
        const current = await store.findOverwrite(tx, channelId, targetId)
        if (current === undefined) throw notFound()
        // The result is ignored: the overwrite of a member who left the server can be deleted.
        await findTarget(tx, clock(), access, actor.userId, current)
        requireGrantable(access.permissions, current.allow | current.deny)
        await store.deleteOverwrite(tx, channelId, targetId)
        await finish(tx, actor, access.channel, current, undefined)
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

/** For the audit log, with the name of the role or member at this time. */
async function describe(
  tx: Transaction,
  { serverId }: ChannelAccess['channel'],
  { targetId: id, type, allow, deny }: store.OverwriteRecord,
) {
  const name =
    type === 'role' ? (await findRole(tx, serverId ?? '', id))?.name : (await findUser(tx, id))?.username
  const bits = { allow: formatPermissions(allow), deny: formatPermissions(deny) }
  return { permissionOverwrites: { id, type, name, ...bits } }
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

/**
 * Throws 403 for a role or member above the caller (community/permission-hierarchy). False if it is not in the server.
 */
export async function findManageableTarget(
  tx: Transaction,
  now: number,
  access: ServerAccess,
  { targetId, type }: Target,
): Promise<boolean> {
  const serverId = access.server.id
  const role =
    type === 'role'
      ? await findRole(tx, serverId, targetId)
      : (await findServerAccess(tx, now, targetId, serverId))?.member.highestRole
  if (role === undefined) return false
  requireManageableRole(access, role)
  return true
}
