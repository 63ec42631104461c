import { defaultListLimit } from '@gatehouse/protocol/limits'
import type { PageQuery } from '@gatehouse/protocol/lists'
import { permissionFor } from '@gatehouse/protocol/permissions'
import type { Ban, CreateBanBody, CreateBansBody, CreatedBans } from '@gatehouse/protocol/servers'
import type { SecurityLog } from '../../accounts/security-log/index.ts'
import { findUser, findUsers, lockUserRow, type UserRecord, userView } from '../../accounts/users/index.ts'
import { type Actor, changesOf, userTarget } from '../../audit/index.ts'
import { AppError, notFound } from '../../errors/app-error.ts'
import { maxSnowflake } from '../../kit/snowflake.ts'
import type { Transaction } from '../../storage/database.ts'
import type { Deps } from '../community-deps.ts'
import {
  findServerAccess,
  isManageableMember,
  lockServerRow,
  requireManageableMember,
  requireServer,
  type ServerRecord,
} from '../permissions/index.ts'
import * as store from './ban-store.ts'
import type { Members } from './members.ts'

interface NewBan {
  reason: string | null
  deleteMessageSeconds: number
  now: number
}

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
  messageDeletions,
}: Pick<Deps, 'db' | 'clock' | 'events' | 'auditLog'> & {
  securityLog: Pick<SecurityLog, 'record'>
  members: Pick<Members, 'deleteMember'>
  /** Deletes the messages that the user sent on the server since the time. */
  deleteMessagesOf: (serverId: string, userId: string, since: number) => Promise<unknown>
  /** Arguments, because messages/ imports this folder. */
  messageDeletions: {
    add: (
      tx: Transaction,
      deletion: { serverId: string; authorIds: ReadonlySet<string>; since: number },
    ) => Promise<void>
  }
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

  /** Removes the member, and tells of the ban. A user who is banned already gets the new reason. */
  async function ban(
    tx: Transaction,
    actor: Actor,
    { id: serverId, name }: ServerRecord,
    user: UserRecord,
    { reason, deleteMessageSeconds, now }: NewBan,
  ): Promise<void> {
    const { id: userId } = user
    const before = await store.findBan(tx, serverId, userId)
    const record = { serverId, userId, reason: reason || null, moderatorId: actor.userId, createdAt: now }
    const isNew = await store.putBan(tx, record)
    await members.deleteMember(tx, serverId, userId)
    // Without the reason, as in Discord.
    if (isNew) publish(tx, 'BAN_ADD', serverId, user)
    if (isNew && !user.bot) await securityLog.record(tx, { userId, kind: 'BAN', targetName: name })
    const changes = changesOf(
      ['reason', 'deleteMessageSeconds'],
      { reason: (before ?? record).reason, deleteMessageSeconds: null },
      { reason: record.reason, deleteMessageSeconds: deleteMessageSeconds || null },
    )
    if (!isNew && changes.length === 0) return
    await auditLog.record(tx, {
      serverId,
      actor: { ...actor, reason: actor.reason ?? (reason || undefined) },
      action: 'BAN_ADD',
      target: userTarget(user),
      changes,
    })
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
        await ban(tx, actor, access.server, user, { reason, deleteMessageSeconds, now })
      })
      if (deleteMessageSeconds > 0)
        await deleteMessagesOf(serverId, userId, now - deleteMessageSeconds * 1000)
    },

    /**
     * Bans those of the users who exist, are not banned yet, and whom the caller may ban. Requires MANAGE_SERVER too.
     * Their messages are deleted after the bans (community/bulk-bans).
     */
    createBans(
      actor: Actor,
      serverId: string,
      { userIds, reason = '', deleteMessageSeconds = 0 }: CreateBansBody,
    ): Promise<CreatedBans> {
      const ids = [...new Set(userIds)].sort()
      return db.transaction(async tx => {
        const now = clock()
        const required = [permissionFor.manageBans, permissionFor.manageManyBans]
        await requireServer(tx, now, actor.userId, serverId, ...required)
        // All of them before the server, which the removal of a member locks: other bans have this order too.
        for (const id of ids) await lockUserRow(tx, id)
        await lockServerRow(tx, serverId)
        const access = await requireServer(tx, now, actor.userId, serverId, ...required)
        const users = await findUsers(tx, ids)
        const bannedUserIds: string[] = []
        for (const id of ids) {
          const user = users.get(id)
          if (user === undefined || id === actor.userId || (await store.findBan(tx, serverId, id))) continue
          const other = await findServerAccess(tx, now, id, serverId)
          if (other !== undefined && !isManageableMember(access, other.member)) continue
          await ban(tx, actor, access.server, user, { reason, deleteMessageSeconds, now })
          bannedUserIds.push(id)
        }
        if (deleteMessageSeconds > 0 && bannedUserIds.length > 0) {
          const since = now - deleteMessageSeconds * 1000
          await messageDeletions.add(tx, { serverId, authorIds: new Set(bannedUserIds), since })
        }
        return { bannedUserIds, failedUserIds: ids.filter(id => !bannedUserIds.includes(id)) }
      })
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
