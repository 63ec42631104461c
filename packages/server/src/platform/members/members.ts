import { defaultListLimit } from '@gatehouse/protocol/limits'
import type { PageQuery } from '@gatehouse/protocol/lists'
import { Permission } from '@gatehouse/protocol/permissions'
import type { Member } from '@gatehouse/protocol/servers'
import type { User } from '@gatehouse/protocol/users'
import { AppError, notFound } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import { aboveAllIds } from '../../kit/snowflake.ts'
import type { Database, Sql, Transaction } from '../../storage/database.ts'
import type { Events } from '../events.ts'
import {
  type MemberRecord,
  requireAbove,
  requireHeld,
  requireReach,
  requireServer,
  type ServerRecord,
  serverAccess,
  serverView,
} from '../permissions/index.ts'
import { findRole, listBotIds, type Roles } from '../roles/index.ts'
import { findUser, findUsers, type UserRecord, userView } from '../users/index.ts'
import { rolesOf } from './membership.ts'
import * as store from './store.ts'

interface MembersDeps {
  db: Database
  clock: Clock
  ids: () => string
  events: Pick<Events, 'toServer' | 'toUser'>
  roles: Pick<Roles, 'grantManagedRole' | 'deleteManagedRole'>
  /** What else ends with a membership, in the same transaction: a bot's installation and commands (D53). */
  onMemberRemoved: (tx: Transaction, serverId: string, userId: string) => Promise<void>
}

/** A bot's way onto a server (D23). */
export interface NewBot {
  serverId: string
  /** Of the bot. */
  userId: string
  permissions: bigint
  roleName: string
}

export interface Members {
  /** By user id. 404 for no member. */
  listMembers(callerId: string, serverId: string, page: PageQuery): Promise<Member[]>
  /** 404 where the caller or the user is no member. */
  getMember(callerId: string, serverId: string, userId: string): Promise<Member>
  /** Oneself: 409 for the owner. Another: needs KICK_MEMBERS, and that they stand below the caller (D64). */
  dismiss(callerId: string, serverId: string, userId: string): Promise<void>
  /** Needs MANAGE_ROLES and all that the role gives; 409 for @everyone and for the role of a bot (D58, D64). */
  giveRole(callerId: string, serverId: string, userId: string, roleId: string): Promise<void>
  takeRole(callerId: string, serverId: string, userId: string, roleId: string): Promise<void>
  /** False where they are a member already. Whether they may join is for the caller to decide. */
  addMember(tx: Transaction, server: ServerRecord, userId: string): Promise<boolean>
  /** With a managed role; one that is there already has the role changed to `permissions`. 404 for no server. */
  addBot(tx: Transaction, bot: NewBot): Promise<{ roleId: string }>
  /** False where they were no member. */
  removeMember(tx: Transaction, serverId: string, userId: string): Promise<boolean>
  /** MEMBER_UPDATE on each of the user's servers, where they are seen. */
  announceProfile(tx: Transaction, user: UserRecord): Promise<void>
  /** Before a server is deleted: ends what its bots had there, and tells all members. */
  dismissAll(tx: Transaction, serverId: string): Promise<void>
}

export function createMembers({ db, clock, ids, events, roles, onMemberRemoved }: MembersDeps): Members {
  async function announceChange(tx: Transaction, serverId: string, userId: string): Promise<void> {
    const member = await view(tx, serverId, userId)
    if (member === undefined) return
    tx.afterCommit(() => events.toServer(serverId, { t: 'MEMBER_UPDATE', d: { serverId, ...member } }))
  }

  async function add(tx: Transaction, server: ServerRecord, userId: string): Promise<boolean> {
    const user = await findUser(tx, userId)
    if (user === undefined) throw notFound()
    const record = { serverId: server.id, userId, nick: null, joinedAt: clock() }
    if (!(await store.insertMember(tx, record, { readTo: ids() }))) return false
    const member = memberView(record, [], userView(user))
    tx.afterCommit(() => {
      events.toServer(server.id, { t: 'MEMBER_ADD', d: { serverId: server.id, ...member } })
      events.toUser(userId, { t: 'SERVER_ADD', d: serverView(server) })
    })
    return true
  }

  async function remove(tx: Transaction, serverId: string, userId: string): Promise<boolean> {
    if (!(await store.deleteMember(tx, serverId, userId))) return false
    await roles.deleteManagedRole(tx, serverId, userId)
    await onMemberRemoved(tx, serverId, userId)
    const user = await findUser(tx, userId)
    tx.afterCommit(() => {
      if (user) events.toServer(serverId, { t: 'MEMBER_REMOVE', d: { serverId, user: userView(user) } })
      events.toUser(userId, { t: 'SERVER_REMOVE', d: { id: serverId } })
    })
    return true
  }

  /** Throws unless the caller may give the role to the user, and take it from them. */
  async function requireGivable(
    tx: Transaction,
    callerId: string,
    { serverId, userId, roleId }: { serverId: string; userId: string; roleId: string },
  ): Promise<void> {
    const access = await requireServer(tx, callerId, serverId, Permission.MANAGE_ROLES)
    const [role, member] = await Promise.all([
      findRole(tx, serverId, roleId),
      store.findMember(tx, serverId, userId),
    ])
    if (role === undefined || member === undefined) throw notFound()
    requireReach(access, role)
    if (role.id === serverId) throw new AppError('conflict', 'Every member has @everyone, always.')
    if (role.botId !== null) throw new AppError('conflict', 'This role is its bot’s alone.')
    requireHeld(access.permissions, role.permissions)
  }

  return {
    addMember: add,
    removeMember: remove,
    async addBot(tx, { serverId, userId, permissions, roleName }) {
      const server = await store.findServer(tx, serverId)
      if (server === undefined) throw notFound()
      await add(tx, server, userId)
      const roleId = await roles.grantManagedRole(tx, {
        serverId,
        botId: userId,
        name: roleName,
        permissions,
      })
      if (await store.insertMemberRole(tx, { serverId, userId, roleId }))
        await announceChange(tx, serverId, userId)
      return { roleId }
    },
    async announceProfile(tx, user) {
      const [memberships, roles] = await Promise.all([
        store.listMemberships(tx, user.id),
        rolesOf(tx, user.id),
      ])
      tx.afterCommit(() => {
        for (const record of memberships) {
          const { serverId } = record
          const member = memberView(record, roles.get(serverId) ?? [], userView(user))
          events.toServer(serverId, { t: 'MEMBER_UPDATE', d: { serverId, ...member } })
        }
      })
    },
    async dismissAll(tx, serverId) {
      for (const botId of await listBotIds(tx, serverId)) await onMemberRemoved(tx, serverId, botId)
      const userIds = await store.listMemberIds(tx, serverId)
      tx.afterCommit(() => {
        for (const userId of userIds) events.toUser(userId, { t: 'SERVER_REMOVE', d: { id: serverId } })
      })
    },
    async listMembers(callerId, serverId, { before, after, limit = defaultListLimit }) {
      await requireServer(db, callerId, serverId)
      const records =
        before !== undefined && after === undefined
          ? await store.listMembersBefore(db, serverId, { before, limit })
          : await store.listMembers(db, serverId, {
              after: after ?? '',
              before: before ?? aboveAllIds,
              limit,
            })
      const userIds = records.map(record => record.userId)
      const [users, rolesOf] = await Promise.all([
        findUsers(db, userIds),
        store.findRolesOf(db, serverId, userIds),
      ])
      return records.flatMap(record => {
        const user = users.get(record.userId)
        return user ? [memberView(record, rolesOf.get(record.userId) ?? [], userView(user))] : []
      })
    },
    async getMember(callerId, serverId, userId) {
      await requireServer(db, callerId, serverId)
      const member = await view(db, serverId, userId)
      if (member === undefined) throw notFound()
      return member
    },
    dismiss: (callerId, serverId, userId) =>
      db.transaction(async tx => {
        const access = await requireServer(tx, callerId, serverId)
        if (callerId === userId) {
          if (access.server.ownerId === userId) {
            throw new AppError('conflict', 'The owner cannot leave: delete the server instead.')
          }
        } else {
          await requireServer(tx, callerId, serverId, Permission.KICK_MEMBERS)
          const other = await serverAccess(tx, userId, serverId)
          if (other === undefined) throw notFound()
          requireAbove(access, other.member)
        }
        await remove(tx, serverId, userId)
      }),
    giveRole: (callerId, serverId, userId, roleId) =>
      db.transaction(async tx => {
        await requireGivable(tx, callerId, { serverId, userId, roleId })
        if (await store.insertMemberRole(tx, { serverId, userId, roleId })) {
          await announceChange(tx, serverId, userId)
        }
      }),
    takeRole: (callerId, serverId, userId, roleId) =>
      db.transaction(async tx => {
        await requireGivable(tx, callerId, { serverId, userId, roleId })
        if (await store.deleteMemberRole(tx, { serverId, userId, roleId })) {
          await announceChange(tx, serverId, userId)
        }
      }),
  }
}

async function view(sql: Sql, serverId: string, userId: string): Promise<Member | undefined> {
  const [record, user, rolesOf] = await Promise.all([
    store.findMember(sql, serverId, userId),
    findUser(sql, userId),
    store.findRolesOf(sql, serverId, [userId]),
  ])
  return record && user && memberView(record, rolesOf.get(userId) ?? [], userView(user))
}

function memberView(record: MemberRecord, roles: string[], user: User): Member {
  return { user, nick: record.nick, roles, joinedAt: new Date(record.joinedAt).toISOString() }
}
