import { defaultListLimit } from '@gatehouse/protocol/limits'
import type { PageQuery } from '@gatehouse/protocol/lists'
import { permissionFor } from '@gatehouse/protocol/permissions'
import type { Ban, CreateBanBody } from '@gatehouse/protocol/servers'
import type { SecurityLog } from '../../accounts/security-log/index.ts'
import { findUser, findUsers, lockUserRow, type UserRecord, userView } from '../../accounts/users/index.ts'
import { type Actor, changesOf, userTarget } from '../../audit/index.ts'
import { AppError, notFound } from '../../errors/app-error.ts'
import { maxSnowflake } from '../../kit/snowflake.ts'
import type { Transaction } from '../../storage/database.ts'
import type { Deps } from '../community-deps.ts'
import { findServerAccess, requireManageableMember, requireServer } from '../permissions/index.ts'
import * as store from './ban-store.ts'
import type { Members } from './members.ts'

export type Bans = ReturnType<typeof createBans>

/** Requires BAN_MEMBERS; 404 if the caller is not a member. Members.addMember rejects banned users (community/bans). */
export function createBans({
  db,
  clock,
  events,
  auditLog,
  securityLog,
  members,
  deleteMessagesOf,
}: Pick<Deps, 'db' | 'clock' | 'events' | 'auditLog'> & {
  securityLog: Pick<SecurityLog, 'record'>
  members: Pick<Members, 'deleteMember'>
  /** Deletes the messages that the user sent on the server since the time. */
  deleteMessagesOf: (serverId: string, userId: string, since: number) => Promise<void>
}) {
  const requireBanMembers = (sql: Deps['db'], callerId: string, serverId: string) =>
    requireServer(sql, clock(), callerId, serverId, permissionFor.manageBans)

  async function toBans(records: readonly store.BanRecord[]): Promise<Ban[]> {
    const users = await findUsers(
      db,
      records.flatMap(({ userId, moderatorId }) => [userId, moderatorId ?? userId]),
    )
    return records.flatMap(({ userId, reason, moderatorId, createdAt }) => {
      const user = users.get(userId)
      const moderator = users.get(moderatorId ?? '')
      if (user === undefined) return []
      return {
        user: userView(user),
        reason,
        moderator: moderator ? userView(moderator) : null,
        createdAt: createdAt === null ? null : new Date(createdAt).toISOString(),
      }
    })
  }

  function publish(tx: Transaction, t: 'BAN_ADD' | 'BAN_REMOVE', serverId: string, user: UserRecord): void {
    tx.afterCommit(() => events.toServer(serverId, { t, d: { serverId, user: userView(user) } }))
  }

  return {
    /** By user id. */
    async listBans(
      callerId: string,
      serverId: string,
      { before, after, limit = defaultListLimit }: PageQuery,
    ): Promise<Ban[]> {
      await requireBanMembers(db, callerId, serverId)
      const page = { after: after ?? '', before: before ?? maxSnowflake, limit }
      const backwards = before !== undefined && after === undefined
      const records = await (backwards ? store.listBansBefore : store.listBans)(db, serverId, page)
      return toBans(records)
    },

    /** 404 if the user is not banned. */
    async getBan(callerId: string, serverId: string, userId: string): Promise<Ban> {
      await requireBanMembers(db, callerId, serverId)
      const record = await store.findBan(db, serverId, userId)
      const [ban] = record === undefined ? [] : await toBans([record])
      if (ban === undefined) throw notFound()
      return ban
    },

    /**
     * Bans the user and removes a member, whose highest role must be lower than that of the caller
     * (community/permission-hierarchy). A user who is banned already gets the new reason. Resolves when the messages
     * are deleted; a repeat deletes those that are left if the service stopped before.
     */
    async createBan(
      actor: Actor,
      serverId: string,
      userId: string,
      { reason = '', deleteMessageSeconds = 0 }: CreateBanBody,
    ): Promise<void> {
      const now = clock()
      await db.transaction(async tx => {
        const access = await requireServer(tx, now, actor.userId, serverId, permissionFor.manageBans)
        if (userId === actor.userId) throw new AppError('conflict', 'You cannot ban yourself.')
        // A concurrent `addMember` locks it too.
        await lockUserRow(tx, userId)
        const user = await findUser(tx, userId)
        if (user === undefined) throw notFound()
        const other = await findServerAccess(tx, now, userId, serverId)
        if (other !== undefined) requireManageableMember(access, other.member)
        const before = await store.findBan(tx, serverId, userId)
        const ban = { serverId, userId, reason: reason || null, moderatorId: actor.userId, createdAt: now }
        const isNew = await store.putBan(tx, ban)
        await members.deleteMember(tx, serverId, userId)
        // Without the reason, as in Discord.
        if (isNew) publish(tx, 'BAN_ADD', serverId, user)
        if (isNew && !user.bot) {
          await securityLog.record(tx, { userId, kind: 'BAN', targetName: access.server.name })
        }
        const changes = changesOf(
          ['reason', 'deleteMessageSeconds'],
          { reason: (before ?? ban).reason, deleteMessageSeconds: null },
          { reason: ban.reason, deleteMessageSeconds: deleteMessageSeconds || null },
        )
        if (!isNew && changes.length === 0) return
        await auditLog.record(tx, {
          serverId,
          actor: { ...actor, reason: actor.reason ?? (reason || undefined) },
          action: 'BAN_ADD',
          target: userTarget(user),
          changes,
        })
      })
      if (deleteMessageSeconds > 0)
        await deleteMessagesOf(serverId, userId, now - deleteMessageSeconds * 1000)
    },

    /** 404 if the user is not banned. */
    deleteBan(actor: Actor, serverId: string, userId: string): Promise<void> {
      return db.transaction(async tx => {
        await requireServer(tx, clock(), actor.userId, serverId, permissionFor.manageBans)
        const user = await findUser(tx, userId)
        if (user === undefined || !(await store.deleteBan(tx, serverId, userId))) throw notFound()
        publish(tx, 'BAN_REMOVE', serverId, user)
        await auditLog.record(tx, { serverId, actor, action: 'BAN_REMOVE', target: userTarget(user) })
      })
    },
  }
}
