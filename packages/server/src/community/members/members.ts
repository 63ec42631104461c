import { setImmediate } from 'node:timers/promises'
import { defaultListLimit, maxServers, maxTimeoutSeconds } from '@gatehouse/protocol/limits'
import { has, Permission, permissionFor } from '@gatehouse/protocol/permissions'
import type { Member, MembersQuery, UpdateMemberBody } from '@gatehouse/protocol/servers'
import { normalizeTimestamp } from '@gatehouse/protocol/timestamps'
import type { User } from '@gatehouse/protocol/users'
import { findUser, findUsers, lockUserRow, type UserRecord, userView } from '../../accounts/users/index.ts'
import { type Actor, changesOf, userTarget } from '../../audit/index.ts'
import { AppError, invalid, notFound } from '../../errors/app-error.ts'
import { limitReached } from '../../i18n/localized-error.ts'
import { inSlices } from '../../kit/batches.ts'
import { maxSnowflake } from '../../kit/snowflake.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import type { Deps } from '../community-deps.ts'
import {
  endOfMemberTimeOut,
  filterViewers,
  findServerAccess,
  listPossibleViewers,
  lockServerRow,
  type MemberRecord,
  requireChannel,
  requireGrantable,
  requireManageableMember,
  requireManageableRole,
  requirePermissions,
  requireServer,
  type ServerAccess,
  type ServerRecord,
  toServer,
} from '../permissions/index.ts'
import { findRole, listRoles, type RoleRecord, type Roles } from '../roles/index.ts'
import { findBan } from './ban-store.ts'
import * as store from './member-store.ts'

/**
 * How many members one statement reads with all their roles. A member can have 250 roles, and statements of SQLite
 * block the event loop (limits/event-loop).
 */
const MEMBER_BATCH = 50
/** Members of a deleted server that are told without a pause. */
const membersPerSlice = 500

/** A bot that is added to a server (sign-in/bot-installation). */
export interface NewBot {
  serverId: string
  /** The user id of the bot. */
  userId: string
  permissions: bigint
  roleName: string
  /** The user who adds the bot. */
  addedBy: string
}

/** The roles that a member gets and loses. */
interface RoleChanges {
  added: RoleRecord[]
  removed: RoleRecord[]
}

export type Members = ReturnType<typeof createMembers>

export function createMembers({
  db,
  clock,
  ids,
  events,
  domainEvents,
  auditLog,
  roles,
  deleteOverwrites,
}: Deps & {
  roles: Roles
  /** An argument, because channels/ imports this folder. */
  deleteOverwrites: (
    tx: Transaction,
    member: { serverId: string; userId: string; keepDenials: boolean },
  ) => Promise<void>
}) {
  /** 404 if the user is not a member. */
  async function requireMember(sql: Sql, serverId: string, userId: string): Promise<Member> {
    const member = await findMember(sql, clock(), serverId, userId)
    if (member === undefined) throw notFound()
    return member
  }

  /** Publishes MEMBER_UPDATE after the commit and returns the member. */
  async function publishUpdate(tx: Transaction, serverId: string, userId: string): Promise<Member> {
    const member = await requireMember(tx, serverId, userId)
    tx.afterCommit(() => events.toServer(serverId, { t: 'MEMBER_UPDATE', d: { serverId, ...member } }))
    return member
  }

  async function deleteMemberRole(tx: Transaction, role: store.MemberRole): Promise<boolean> {
    // The member first, as in their removal, which then deletes their roles.
    await store.lockMemberRow(tx, role.serverId, role.userId)
    if (!(await store.deleteMemberRole(tx, role))) return false
    await domainEvents.publish(tx, 'MemberRoleRemoved', role)
    return true
  }

  /**
   * False if the user is already a member. Throws 403 `banned` for a user or bot that is banned (community/bans), and
   * 409 `limit_reached` for a user, but not for a bot, that is a member of 200 servers (limits/caps).
   */
  async function addMember(tx: Transaction, server: ServerRecord, userId: string): Promise<boolean> {
    const user = await findUser(tx, userId)
    if (user === undefined) throw notFound()
    // So that a concurrent ban either sees the new member or is seen here.
    await lockUserRow(tx, userId)
    if ((await findBan(tx, server.id, userId)) !== undefined) {
      const who = user.bot ? 'The bot is' : 'You are'
      throw new AppError('banned', `${who} banned from this server.`)
    }
    if (
      !(await store.insertMember(tx, { serverId: server.id, userId, nick: null, joinedAt: clock() }, ids()))
    ) {
      return false
    }
    if (!user.bot && (await store.countMemberships(tx, userId)) > maxServers) throw limitReached('servers')
    const member = await findMember(tx, clock(), server.id, userId)
    if (member === undefined) throw new Error('The new member was not found.')
    tx.afterCommit(() => {
      events.toServer(server.id, { t: 'MEMBER_ADD', d: { serverId: server.id, ...member } })
      events.toUser(userId, { t: 'SERVER_ADD', d: toServer(server) })
    })
    return true
  }

  /**
   * Returns the removed user; undefined if they are not a member. 409 for the owner. Does not check the permissions of
   * a caller. A user who `leaves` keeps what overwrites deny them (community/removed-member).
   */
  async function deleteMember(
    tx: Transaction,
    serverId: string,
    userId: string,
    { leaves = false } = {},
  ): Promise<UserRecord | undefined> {
    const user = await findUser(tx, userId)
    // An overwrite of the member or of the role of a bot that is stored at the same time must be deleted too. Before
    // the member, because others who lock the server may lock a member afterwards.
    await lockServerRow(tx, serverId)
    // After the lock, because the user may have become the owner meanwhile.
    if (await store.isOwner(tx, serverId, userId)) {
      throw new AppError('conflict', 'The owner cannot leave the server, but can transfer or delete it.')
    }
    if (user === undefined || !(await store.deleteMember(tx, serverId, userId))) return undefined
    await roles.deleteManagedRole(tx, serverId, userId)
    await domainEvents.publish(tx, 'MemberRemoved', { serverId, userId })
    tx.afterCommit(() => {
      events.toServer(serverId, { t: 'MEMBER_REMOVE', d: { serverId, user: userView(user) } })
      events.toUser(userId, { t: 'SERVER_REMOVE', d: { id: serverId } })
    })
    await deleteOverwrites(tx, { serverId, userId, keepDenials: leaves })
    return user
  }

  /**
   * Requires MANAGE_ROLES and all permissions of each role. 409 for @everyone and for a managed role
   * (community/everyone-role). Returns what changed: the roles that the member did not have, or had.
   */
  async function changeRoles(
    tx: Transaction,
    access: ServerAccess,
    { serverId, userId }: Pick<store.MemberRole, 'serverId' | 'userId'>,
    { added, removed }: RoleChanges,
  ): Promise<RoleChanges> {
    requirePermissions(access, permissionFor.manageRoles)
    for (const role of [...added, ...removed]) {
      requireManageableRole(access, role)
      if (role.id === serverId) throw new AppError('conflict', 'Every member always has the role @everyone.')
      if (role.botId !== null) throw new AppError('conflict', 'Only its bot can have a managed role.')
      requireGrantable(access.permissions, role.permissions)
    }
    const changed: RoleChanges = { added: [], removed: [] }
    for (const role of added) {
      if (await store.insertMemberRole(tx, { serverId, userId, roleId: role.id })) changed.added.push(role)
    }
    for (const role of removed) {
      if (await deleteMemberRole(tx, { serverId, userId, roleId: role.id })) changed.removed.push(role)
    }
    return changed
  }

  async function recordRoles(
    tx: Transaction,
    actor: Actor,
    serverId: string,
    user: User,
    { added, removed }: RoleChanges,
  ): Promise<void> {
    const named = (roles: readonly RoleRecord[]) =>
      roles.length === 0 ? undefined : { roles: roles.map(({ id, name }) => ({ id, name })) }
    const changes = changesOf(['roles'], named(removed), named(added))
    const target = userTarget(user)
    await auditLog.record(tx, { serverId, actor, action: 'MEMBER_ROLE_UPDATE', target, changes })
  }

  function changeRoleAs(
    actor: Actor,
    { serverId, userId, roleId }: store.MemberRole,
    kind: keyof RoleChanges,
  ): Promise<void> {
    return db.transaction(async tx => {
      const access = await requireServer(tx, clock(), actor.userId, serverId, permissionFor.manageRoles)
      const [role, member] = await Promise.all([
        findRole(tx, serverId, roleId),
        store.findMember(tx, serverId, userId),
      ])
      if (role === undefined || member === undefined) throw notFound()
      const wanted = { added: [], removed: [], [kind]: [role] }
      const changed = await changeRoles(tx, access, { serverId, userId }, wanted)
      if (changed[kind].length === 0) return
      const { user } = await publishUpdate(tx, serverId, userId)
      await recordRoles(tx, actor, serverId, user, changed)
    })
  }

  /** The changes after which the member has the roles of `wanted`. 400 for what is not a role of the server. */
  async function planRoles(
    tx: Transaction,
    { serverId, roles: current }: ServerAccess['member'],
    wanted: readonly string[],
  ): Promise<RoleChanges> {
    const roles = new Map((await listRoles(tx, serverId)).map(role => [role.id, role]))
    const added: RoleRecord[] = []
    for (const [index, id] of wanted.entries()) {
      const role = roles.get(id)
      if (role === undefined) {
        throw invalid(`roles[${index}]`, 'unknown_role', 'must be a role of this server')
      }
      if (!current.includes(id) && !added.includes(role)) added.push(role)
    }
    const removed = current.flatMap(id => (wanted.includes(id) ? [] : (roles.get(id) ?? [])))
    return { added, removed }
  }

  /**
   * Requires MODERATE_MEMBERS and a higher role than that of the member, who must be neither the owner nor an
   * administrator (community/timeouts). 400 unless the end is in the next 28 days. Null ends the time-out.
   */
  async function setTimeout(
    tx: Transaction,
    access: ServerAccess,
    { member, permissions }: ServerAccess,
    until: string | null,
  ): Promise<string | null> {
    const { serverId, userId } = member
    requireManageableMember(access, member)
    if (until === null) {
      await store.deleteTimeout(tx, serverId, userId)
      return null
    }
    if (has(permissions, Permission.ADMINISTRATOR)) {
      throw new AppError('missing_permission', 'The owner and administrators cannot be timed out.')
    }
    const end = parseTimeout(until, clock())
    await store.putTimeout(tx, { serverId, userId, until: end, now: clock() })
    return new Date(end).toISOString()
  }

  /** In slices (limits/event-loop). */
  async function toAllMembers(
    serverId: string,
    event: Parameters<Deps['events']['toUser']>[1],
  ): Promise<void> {
    for (let after = ''; ; await setImmediate()) {
      const range = { after, before: maxSnowflake, limit: membersPerSlice }
      const members = await store.listMembers(db, serverId, range)
      for (const { userId } of members) events.toUser(userId, event)
      if (members.length < membersPerSlice) return
      after = members.at(-1)?.userId ?? maxSnowflake
    }
  }

  return {
    addMember,
    deleteMember,

    /**
     * Adds the bot with a managed role. If it is already a member, sets the permissions of that role: 403 unless
     * `addedBy` may make this change. 404 unless `addedBy` is a member.
     */
    async addBot(
      tx: Transaction,
      { serverId, userId, permissions, roleName, addedBy }: NewBot,
    ): Promise<{ roleId: string }> {
      const access = await requireServer(tx, clock(), addedBy, serverId)
      await addMember(tx, access.server, userId)
      const roleId = await roles.setManagedRole(tx, access, { botId: userId, name: roleName, permissions })
      if (await store.insertMemberRole(tx, { serverId, userId, roleId }))
        await publishUpdate(tx, serverId, userId)
      return { roleId }
    },

    /**
     * By user id; with `channelId`, only members who can view that channel. 404 if the caller is not a member, and for
     * a channel that is not on the server or that the caller cannot view.
     */
    async listMembers(
      callerId: string,
      serverId: string,
      { before, after, channelId, limit = defaultListLimit }: MembersQuery,
    ): Promise<Member[]> {
      await requireServer(db, clock(), callerId, serverId)
      if (channelId !== undefined) {
        const { channel } = await requireChannel(db, clock(), callerId, channelId)
        if (channel.serverId !== serverId) throw notFound()
      }
      const range = {
        after: after ?? '',
        before: before ?? maxSnowflake,
        backwards: before !== undefined && after === undefined,
      }
      const records =
        channelId === undefined
          ? await listRange(db, serverId, range, limit)
          : await listViewers(db, { serverId, channelId }, range, limit)
      return toMembers(db, clock(), serverId, records)
    },

    /** The caller, or a user or bot on a common server: 404 for others. */
    async getUser(callerId: string, userId: string): Promise<User> {
      const isKnown = callerId === userId || (await store.haveMutualServer(db, callerId, userId))
      const user = isKnown ? await findUser(db, userId) : undefined
      if (user === undefined) throw notFound()
      return userView(user)
    },

    /** 404 if the caller or the user is not a member. */
    async getMember(callerId: string, serverId: string, userId: string): Promise<Member> {
      await requireServer(db, clock(), callerId, serverId)
      return requireMember(db, serverId, userId)
    },

    /**
     * Changes the time-out and the roles of a member in one transaction. Requires what each of them requires. Returns
     * also how many roles changed.
     */
    updateMember(
      actor: Actor,
      serverId: string,
      userId: string,
      { timedOutUntil: until, roles: wanted }: UpdateMemberBody,
    ): Promise<{ member: Member; changedRoles: number }> {
      return db.transaction(async tx => {
        const access = await requireServer(tx, clock(), actor.userId, serverId)
        if (until !== undefined) requirePermissions(access, permissionFor.timeOutMember)
        if (wanted !== undefined) {
          requirePermissions(access, permissionFor.manageRoles)
          // Before their roles are read, so that a concurrent change does not come between.
          await store.lockMemberRow(tx, serverId, userId)
        }
        const before = await findServerAccess(tx, clock(), userId, serverId)
        if (before === undefined) throw notFound()
        const timedOutUntil = formatEnd(before.member, clock())
        const after = until === undefined ? timedOutUntil : await setTimeout(tx, access, before, until)
        const changes = changesOf(['timedOutUntil'], { timedOutUntil }, { timedOutUntil: after })
        const changed =
          wanted && (await changeRoles(tx, access, before.member, await planRoles(tx, before.member, wanted)))
        const changedRoles = changed ? changed.added.length + changed.removed.length : 0
        const isUnchanged = changes.length === 0 && changedRoles === 0
        const member = isUnchanged
          ? await requireMember(tx, serverId, userId)
          : await publishUpdate(tx, serverId, userId)
        if (changes.length > 0) {
          const target = userTarget(member.user)
          await auditLog.record(tx, { serverId, actor, action: 'MEMBER_UPDATE', target, changes })
        }
        if (changed && changedRoles > 0) await recordRoles(tx, actor, serverId, member.user, changed)
        return { member, changedRoles }
      })
    },

    /**
     * Members can leave, but not the owner: 409. To remove another member requires KICK_MEMBERS and a higher role than
     * theirs (community/permission-hierarchy).
     */
    removeMember(actor: Actor, serverId: string, userId: string): Promise<void> {
      return db.transaction(async tx => {
        const access = await requireServer(tx, clock(), actor.userId, serverId)
        if (actor.userId !== userId) {
          requirePermissions(access, permissionFor.kickMember)
          const other = await findServerAccess(tx, clock(), userId, serverId)
          if (other === undefined) throw notFound()
          requireManageableMember(access, other.member)
        }
        const leaves = actor.userId === userId
        const removed = await deleteMember(tx, serverId, userId, { leaves })
        if (leaves || removed === undefined) return
        const action = removed.bot ? 'BOT_REMOVE' : 'MEMBER_KICK'
        await auditLog.record(tx, { serverId, actor, action, target: userTarget(removed) })
      })
    },

    /** As `changeRoles`. 404 for what is not a role or member of the server. */
    addRole(actor: Actor, serverId: string, userId: string, roleId: string): Promise<void> {
      return changeRoleAs(actor, { serverId, userId, roleId }, 'added')
    },

    /** Throws as `addRole`. */
    removeRole(actor: Actor, serverId: string, userId: string, roleId: string): Promise<void> {
      return changeRoleAs(actor, { serverId, userId, roleId }, 'removed')
    },

    /** Publishes MEMBER_UPDATE on every server of the user. */
    async publishProfile(tx: Transaction, user: User): Promise<void> {
      const memberships = await store.listMemberships(tx, user.id)
      const serverIds = memberships.map(({ serverId }) => serverId)
      const roleIds = await store.listRoleIdsByServer(tx, user.id, serverIds)
      tx.afterCommit(() => {
        for (const record of memberships) {
          const { serverId } = record
          const member = toMember(record, roleIds.get(serverId) ?? [], user, clock())
          events.toServer(serverId, { t: 'MEMBER_UPDATE', d: { serverId, ...member } })
        }
      })
    },

    /** Publishes SERVER_REMOVE to the members of a server that is marked as deleted. */
    publishServerDeletion: (serverId: string) =>
      toAllMembers(serverId, { t: 'SERVER_REMOVE', d: { id: serverId } }),

    /** Of a server that was disabled. */
    publishServerReturn: (server: ServerRecord) =>
      toAllMembers(server.id, { t: 'SERVER_ADD', d: toServer(server) }),
  }
}

function parseTimeout(text: string, now: number): number {
  const until = Date.parse(normalizeTimestamp(text) ?? '')
  if (until > now && until <= now + maxTimeoutSeconds * 1000) return until
  const days = maxTimeoutSeconds / 86_400
  throw invalid('timedOutUntil', 'out_of_range', `must be null or a time in the next ${days} days`)
}

/** False also if the server is deleted or disabled. */
export async function isMember(sql: Sql, serverId: string, userId: string): Promise<boolean> {
  return (await store.findMember(sql, serverId, userId)) !== undefined
}

/**
 * User ids between `after` and `before`, both exclusive. `backwards`: a limit selects the last ones instead of the
 * first.
 */
interface Range {
  after: string
  before: string
  backwards: boolean
}

function listRange(sql: Sql, serverId: string, range: Range, limit: number): Promise<MemberRecord[]> {
  const page = { ...range, limit }
  return range.backwards
    ? store.listMembersBefore(sql, serverId, page)
    : store.listMembers(sql, serverId, page)
}

/**
 * Reads batches of members until `limit` of them can view the channel. Of a channel that few members may be able to
 * view, it reads only those.
 */
async function listViewers(
  sql: Sql,
  channel: { serverId: string; channelId: string },
  range: Range,
  limit: number,
): Promise<MemberRecord[]> {
  const { serverId } = channel
  const { backwards } = range
  const possible = await listPossibleViewers(sql, channel)
  let ids = possible?.filter(id => id > range.after && id < range.before)
  let rest = range
  let found: MemberRecord[] = []
  for (;;) {
    let batch: MemberRecord[]
    let isLast: boolean
    if (ids === undefined) {
      batch = await listRange(sql, serverId, rest, MEMBER_BATCH)
      isLast = batch.length < MEMBER_BATCH
    } else {
      batch = await store.findMembers(
        sql,
        serverId,
        backwards ? ids.slice(-MEMBER_BATCH) : ids.slice(0, MEMBER_BATCH),
      )
      ids = backwards ? ids.slice(0, -MEMBER_BATCH) : ids.slice(MEMBER_BATCH)
      isLast = ids.length === 0
    }
    const userIds = batch.map(({ userId }) => userId)
    const viewerIds = await filterViewers(sql, channel, userIds)
    const viewers = batch.filter(({ userId }) => viewerIds.has(userId))
    found = backwards ? [...viewers, ...found] : [...found, ...viewers]
    if (found.length >= limit || isLast) break
    rest = backwards ? { ...rest, before: userIds[0] ?? '' } : { ...rest, after: userIds.at(-1) ?? '' }
    await setImmediate()
  }
  return backwards ? found.slice(-limit) : found.slice(0, limit)
}

async function findMember(
  sql: Sql,
  now: number,
  serverId: string,
  userId: string,
): Promise<Member | undefined> {
  const [member] = await findMembers(sql, now, serverId, [userId])
  return member
}

/** The first members after a user id, by user id. */
export async function listServerMembers(
  sql: Sql,
  now: number,
  serverId: string,
  { after = '', limit }: { after?: string; limit: number },
): Promise<Member[]> {
  const range = { after, before: maxSnowflake, limit }
  return toMembers(sql, now, serverId, await store.listMembers(sql, serverId, range))
}

/** Those of the users who are members of the server, by user id. */
export async function findMembers(
  sql: Sql,
  now: number,
  serverId: string,
  userIds: readonly string[],
): Promise<Member[]> {
  return toMembers(sql, now, serverId, await store.findMembers(sql, serverId, userIds))
}

async function toMembers(
  sql: Sql,
  now: number,
  serverId: string,
  records: readonly MemberRecord[],
): Promise<Member[]> {
  const userIds = records.map(record => record.userId)
  const [users, roleIds] = await Promise.all([
    findUsers(sql, userIds),
    inSlices(userIds, MEMBER_BATCH, slice => store.listRoleIdsByUser(sql, serverId, slice)),
  ])
  const roleIdsByUser = new Map(roleIds.flatMap(slice => [...slice]))
  return records.flatMap(record => {
    const user = users.get(record.userId)
    return user ? [toMember(record, roleIdsByUser.get(record.userId) ?? [], userView(user), now)] : []
  })
}

function toMember(record: MemberRecord, roles: string[], user: User, now: number): Member {
  return {
    user,
    nick: record.nick,
    roles,
    joinedAt: new Date(record.joinedAt).toISOString(),
    timedOutUntil: formatEnd(record, now),
  }
}

function formatEnd(record: MemberRecord, now: number): string | null {
  const until = endOfMemberTimeOut(record, now)
  return until === null ? null : new Date(until).toISOString()
}
