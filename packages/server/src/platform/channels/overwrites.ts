import type { OverwriteBody } from '@gatehouse/protocol/channels'
import { Permission, parsePermissions } from '@gatehouse/protocol/permissions'
import { invalid, notFound } from '../../kit/app-error.ts'
import type { Database, Transaction } from '../../storage/database.ts'
import type { Events } from '../events.ts'
import {
  type Access,
  requireChannel,
  requireHeld,
  requireReach,
  requireServer,
  serverAccess,
} from '../permissions/index.ts'
import { findRole } from '../roles/index.ts'
import { announceUpdate } from './channels.ts'
import * as store from './store.ts'

interface OverwritesDeps {
  db: Database
  events: Pick<Events, 'toServer'>
}

export interface Overwrites {
  /**
   * Needs MANAGE_CHANNELS, all that changes, and a target that does not stand above the caller (D64). 404 for a target
   * that is no role or member of the server.
   */
  putOverwrite(userId: string, channelId: string, targetId: string, body: OverwriteBody): Promise<void>
  deleteOverwrite(userId: string, channelId: string, targetId: string): Promise<void>
}

export function createOverwrites({ db, events }: OverwritesDeps): Overwrites {
  return {
    putOverwrite: (userId, channelId, targetId, body) =>
      db.transaction(async tx => {
        const access = await requireChannel(tx, userId, channelId, Permission.MANAGE_CHANNELS)
        const allow = readPermissions('allow', body.allow)
        const deny = readPermissions('deny', body.deny)
        if ((allow & deny) !== 0n) throw invalid('deny', 'conflict', 'has a bit that allow has too')
        const target = { targetId, type: body.type }
        if (!(await reaches(tx, access, userId, target))) throw notFound()
        const before = await store.findOverwrite(tx, channelId, targetId)
        requireHeld(access.permissions, ((before?.allow ?? 0n) ^ allow) | ((before?.deny ?? 0n) ^ deny))
        await store.putOverwrite(tx, { channelId, ...target, allow, deny })
        await announceUpdate(tx, events, access.channel)
      }),
    deleteOverwrite: (userId, channelId, targetId) =>
      db.transaction(async tx => {
        const access = await requireChannel(tx, userId, channelId, Permission.MANAGE_CHANNELS)
        const before = await store.findOverwrite(tx, channelId, targetId)
        if (before === undefined) throw notFound()
        // A member who has left stands nowhere; what the channel says about them can go.
        await reaches(tx, access, userId, before)
        requireHeld(access.permissions, before.allow | before.deny)
        await store.deleteOverwrite(tx, channelId, targetId)
        await announceUpdate(tx, events, access.channel)
      }),
  }
}

/** Throws 403 for a target above the caller; false where the target is not of the server. */
async function reaches(
  tx: Transaction,
  { server }: Access,
  userId: string,
  { targetId, type }: Pick<store.OverwriteRecord, 'targetId' | 'type'>,
): Promise<boolean> {
  if (server === undefined) return false
  const own = await requireServer(tx, userId, server.id)
  const rank =
    type === 'role'
      ? await findRole(tx, server.id, targetId)
      : (await serverAccess(tx, targetId, server.id))?.member.highest
  if (rank === undefined) return false
  requireReach(own, rank)
  return true
}

function readPermissions(path: string, text: string): bigint {
  const set = parsePermissions(text)
  if (set === undefined) throw invalid(path, 'unknown_permission', 'has a bit that is no permission')
  return set
}
