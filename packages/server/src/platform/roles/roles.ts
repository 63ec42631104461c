import {
  defaultEveryone,
  formatPermissions,
  Permission,
  parsePermissions,
} from '@gatehouse/protocol/permissions'
import type { CreateRoleBody, Role, UpdateRoleBody } from '@gatehouse/protocol/servers'
import { AppError, invalid, notFound } from '../../kit/app-error.ts'
import type { Database, Sql, Transaction } from '../../storage/database.ts'
import type { Events } from '../events.ts'
import { requireHeld, requireReach, requireServer } from '../permissions/index.ts'
import * as store from './store.ts'

export type RoleRecord = store.RoleRecord

/** Above @everyone, below all roles that were made before. */
const LOWEST_POSITION = 1

interface RolesDeps {
  db: Database
  ids: () => string
  events: Pick<Events, 'toServer'>
}

export interface Roles {
  /** 404 for no member. From the lowest, which is @everyone, to the highest. */
  listRoles(userId: string, serverId: string): Promise<Role[]>
  /** Needs MANAGE_ROLES and all that the role gives; 403 also for a position above one's own (D64). */
  createRole(userId: string, serverId: string, body: CreateRoleBody): Promise<Role>
  /** As `createRole`, for what changes. @everyone keeps its name and place: 400 (D58). */
  updateRole(userId: string, serverId: string, roleId: string, body: UpdateRoleBody): Promise<Role>
  /** 409 for @everyone and for the role of a bot (D58, D64). */
  deleteRole(userId: string, serverId: string, roleId: string): Promise<void>
  /** For a new server. No event: nobody is there yet. */
  createEveryone(tx: Transaction, serverId: string): Promise<void>
  /** The role of a bot that joins (D23), or the one it has, with `permissions` from now on. */
  grantManagedRole(
    tx: Transaction,
    role: { serverId: string; botId: string; name: string; permissions: bigint },
  ): Promise<string>
  /** The role goes with its bot (D64). */
  deleteManagedRole(tx: Transaction, serverId: string, botId: string): Promise<void>
}

export function createRoles({ db, ids, events }: RolesDeps): Roles {
  function announce(tx: Transaction, t: 'ROLE_CREATE' | 'ROLE_UPDATE', role: RoleRecord): void {
    tx.afterCommit(() => events.toServer(role.serverId, { t, d: roleView(role) }))
  }
  async function remove(tx: Transaction, { id, serverId }: RoleRecord): Promise<void> {
    if (!(await store.deleteRole(tx, id))) return
    tx.afterCommit(() => events.toServer(serverId, { t: 'ROLE_DELETE', d: { id, serverId } }))
  }
  return {
    async listRoles(userId, serverId) {
      await requireServer(db, userId, serverId)
      return (await store.listRoles(db, serverId)).map(roleView)
    },
    createRole: (userId, serverId, body) =>
      db.transaction(async tx => {
        const access = await requireServer(tx, userId, serverId, Permission.MANAGE_ROLES)
        const role: RoleRecord = {
          id: ids(),
          serverId,
          name: body.name,
          permissions: readPermissions(body.permissions),
          color: body.color ?? 0,
          position: readPosition(body.position ?? LOWEST_POSITION),
          botId: null,
        }
        requireHeld(access.permissions, role.permissions)
        requireReach(access, role)
        await store.insertRole(tx, role)
        announce(tx, 'ROLE_CREATE', role)
        return roleView(role)
      }),
    updateRole: (userId, serverId, roleId, body) =>
      db.transaction(async tx => {
        const access = await requireServer(tx, userId, serverId, Permission.MANAGE_ROLES)
        const before = await store.findRole(tx, serverId, roleId)
        if (before === undefined) throw notFound()
        requireReach(access, before)
        const after = isEveryone(before) ? changeEveryone(before, body) : change(before, body)
        requireHeld(access.permissions, before.permissions ^ after.permissions)
        requireReach(access, after)
        await store.updateRole(tx, after)
        announce(tx, 'ROLE_UPDATE', after)
        return roleView(after)
      }),
    deleteRole: (userId, serverId, roleId) =>
      db.transaction(async tx => {
        const access = await requireServer(tx, userId, serverId, Permission.MANAGE_ROLES)
        const role = await store.findRole(tx, serverId, roleId)
        if (role === undefined) throw notFound()
        requireReach(access, role)
        if (isEveryone(role)) throw new AppError('conflict', '@everyone stays as long as the server.')
        if (role.botId !== null) throw new AppError('conflict', 'This role goes when its bot is removed.')
        requireHeld(access.permissions, role.permissions)
        await remove(tx, role)
      }),
    createEveryone: (tx, serverId) =>
      store.insertRole(tx, {
        id: serverId,
        serverId,
        name: '@everyone',
        permissions: defaultEveryone,
        color: 0,
        position: 0,
        botId: null,
      }),
    async grantManagedRole(tx, { serverId, botId, name, permissions }) {
      const before = await store.findRoleOfBot(tx, serverId, botId)
      if (before !== undefined) {
        const after = { ...before, permissions }
        await store.updateRole(tx, after)
        announce(tx, 'ROLE_UPDATE', after)
        return before.id
      }
      const role = { id: ids(), serverId, name, permissions, color: 0, position: LOWEST_POSITION, botId }
      await store.insertRole(tx, role)
      announce(tx, 'ROLE_CREATE', role)
      return role.id
    },
    async deleteManagedRole(tx, serverId, botId) {
      const role = await store.findRoleOfBot(tx, serverId, botId)
      if (role !== undefined) await remove(tx, role)
    },
  }
}

export function findRole(sql: Sql, serverId: string, roleId: string): Promise<RoleRecord | undefined> {
  return store.findRole(sql, serverId, roleId)
}

/** Those of `ids` that are roles of the server. */
export function findRoleIds(sql: Sql, serverId: string, ids: readonly string[]): Promise<string[]> {
  return store.findRoleIds(sql, serverId, ids)
}

/** The bots that were added to the server. */
export function listBotIds(sql: Sql, serverId: string): Promise<string[]> {
  return store.listBotIds(sql, serverId)
}

function roleView(role: RoleRecord): Role {
  return {
    id: role.id,
    serverId: role.serverId,
    name: role.name,
    permissions: formatPermissions(role.permissions),
    color: role.color,
    position: role.position,
    managed: role.botId !== null,
  }
}

function isEveryone(role: RoleRecord): boolean {
  return role.id === role.serverId
}

function change(role: RoleRecord, body: UpdateRoleBody): RoleRecord {
  return {
    ...role,
    name: body.name ?? role.name,
    permissions: body.permissions === undefined ? role.permissions : readPermissions(body.permissions),
    color: body.color ?? role.color,
    position: body.position === undefined ? role.position : readPosition(body.position),
  }
}

/** D58: it can be changed, not renamed; and it stays below all others. */
function changeEveryone(role: RoleRecord, body: UpdateRoleBody): RoleRecord {
  if (body.name !== undefined && body.name !== role.name) {
    throw invalid('name', 'invalid_choice', '@everyone keeps its name')
  }
  if (body.position !== undefined && body.position !== role.position) {
    throw invalid('position', 'out_of_range', '@everyone stays at position 0')
  }
  const { position: _, ...rest } = body
  return change(role, rest)
}

function readPosition(position: number): number {
  if (position < LOWEST_POSITION)
    throw invalid('position', 'out_of_range', 'must be at least 1: 0 is of @everyone')
  return position
}

function readPermissions(text: string): bigint {
  const set = parsePermissions(text)
  if (set === undefined) throw invalid('permissions', 'unknown_permission', 'has a bit that is no permission')
  return set
}
