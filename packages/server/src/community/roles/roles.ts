import { maxRoles } from '@gatehouse/protocol/limits'
import { defaultEveryone, formatPermissions, permissionFor } from '@gatehouse/protocol/permissions'
import { isEveryone, sortRoles } from '@gatehouse/protocol/role-order'
import type { CreateRoleBody, MoveRolesBody, Role, UpdateRoleBody } from '@gatehouse/protocol/servers'
import { type Act, type Actor, changesOf } from '../../audit/index.ts'
import { AppError, invalid, notFound } from '../../errors/app-error.ts'
import { limitReached } from '../../i18n/localized-error.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import type { Deps } from '../community-deps.ts'
import {
  lockServerRow,
  parsePermissionBits,
  requireGrantable,
  requireKeptPlaces,
  requireManageableRole,
  requireServer,
  type ServerAccess,
} from '../permissions/index.ts'
import { planRoleMoves } from './role-moves.ts'
import * as store from './role-store.ts'

/** @everyone has position 0. A new role is above @everyone and below all older roles. */
const LOWEST_POSITION = 1

export type Roles = ReturnType<typeof createRoles>

export function createRoles({ db, clock, ids, events, domainEvents, auditLog }: Deps) {
  function publish(tx: Transaction, t: 'ROLE_CREATE' | 'ROLE_UPDATE', record: store.RoleRecord): Role {
    const role = toRole(record)
    tx.afterCommit(() => events.toServer(role.serverId, { t, d: role }))
    return role
  }

  /** The caller has locked the server. */
  async function insertRole(tx: Transaction, role: store.RoleRecord): Promise<Role> {
    if ((await store.countRoles(tx, role.serverId)) >= maxRoles) throw limitReached('roles')
    await store.insertRole(tx, role)
    return publish(tx, 'ROLE_CREATE', role)
  }

  /**
   * 403 unless `access` allows to change the role and every permission that changes, and as `requireKeptPlaces`. The
   * caller has locked the server.
   */
  async function changeRole(
    tx: Transaction,
    actor: Actor,
    access: ServerAccess,
    before: store.RoleRecord,
    after: store.RoleRecord,
  ): Promise<Role> {
    requireManageableRole(access, before)
    requireGrantable(access.permissions, before.permissions ^ after.permissions)
    if (before.position !== after.position) {
      const roles = await store.listRoles(tx, before.serverId)
      requireKeptPlaces(
        access,
        roles,
        roles.map(role => (role.id === after.id ? after : role)),
      )
    }
    return storeChange(tx, actor, before, after)
  }

  async function storeChange(
    tx: Transaction,
    actor: Actor,
    before: store.RoleRecord,
    after: store.RoleRecord,
  ): Promise<Role> {
    const act = actOn('ROLE_UPDATE', actor, after, before, after)
    if (act.changes?.length === 0) return toRole(after)
    await store.updateRole(tx, after)
    await auditLog.record(tx, act)
    return publish(tx, 'ROLE_UPDATE', after)
  }

  /** Requires MANAGE_ROLES. Locks the server, so that a change of its roles does not undo a concurrent one. */
  async function requireLockedServer(
    tx: Transaction,
    userId: string,
    serverId: string,
  ): Promise<ServerAccess> {
    // Before the lock, so that a user without the permission locks nothing.
    await requireServer(tx, clock(), userId, serverId, permissionFor.manageRoles)
    await lockServerRow(tx, serverId)
    return requireServer(tx, clock(), userId, serverId, permissionFor.manageRoles)
  }

  async function deleteRole(tx: Transaction, { id, serverId }: store.RoleRecord): Promise<void> {
    if (!(await store.deleteRole(tx, id, clock()))) return
    await domainEvents.publish(tx, 'RoleDeleted', { serverId, roleId: id })
    tx.afterCommit(() => events.toServer(serverId, { t: 'ROLE_DELETE', d: { id, serverId } }))
  }

  /** As `requireLockedServer`. 404 if the role does not exist. */
  async function requireRole(tx: Transaction, userId: string, serverId: string, roleId: string) {
    const access = await requireLockedServer(tx, userId, serverId)
    const role = await store.findRole(tx, serverId, roleId)
    if (role === undefined) throw notFound()
    return { access, role }
  }

  return {
    /** From @everyone to the highest role. 404 if the user is not a member. */
    async listRoles(userId: string, serverId: string): Promise<Role[]> {
      await requireServer(db, clock(), userId, serverId)
      return listServerRoles(db, serverId)
    },

    /**
     * Requires MANAGE_ROLES and all permissions of the role; 403 for a position above the caller's highest role
     * (community/permission-hierarchy).
     */
    createRole(actor: Actor, serverId: string, body: CreateRoleBody): Promise<Role> {
      return db.transaction(async tx => {
        const access = await requireServer(tx, clock(), actor.userId, serverId, permissionFor.manageRoles)
        const role: store.RoleRecord = {
          id: ids(),
          serverId,
          name: body.name,
          permissions: parsePermissionBits('permissions', body.permissions),
          color: body.color ?? 0,
          position: requirePosition(body.position ?? LOWEST_POSITION),
          botId: null,
        }
        requireGrantable(access.permissions, role.permissions)
        requireManageableRole(access, role)
        await lockServerRow(tx, serverId)
        const created = await insertRole(tx, role)
        await auditLog.record(tx, actOn('ROLE_CREATE', actor, role, undefined, role))
        return created
      })
    },

    /**
     * Requires MANAGE_ROLES and every permission that changes; 403 if the role is above the caller's highest role,
     * and as `requireKeptPlaces`. 400 for another name or position of @everyone (community/everyone-role).
     */
    updateRole(actor: Actor, serverId: string, roleId: string, body: UpdateRoleBody): Promise<Role> {
      return db.transaction(async tx => {
        const { access, role } = await requireRole(tx, actor.userId, serverId, roleId)
        return changeRole(tx, actor, access, role, applyBody(role, body))
      })
    },

    /**
     * Gives roles their places in the order of all roles, from @everyone. Requires MANAGE_ROLES; 403 as
     * `requireKeptPlaces`. Returns all roles from @everyone, and how many changed.
     */
    moveRoles(
      actor: Actor,
      serverId: string,
      moves: MoveRolesBody,
    ): Promise<{ roles: Role[]; changed: number }> {
      return db.transaction(async tx => {
        const access = await requireLockedServer(tx, actor.userId, serverId)
        const before = sortRoles(await store.listRoles(tx, serverId)).toReversed()
        const places = new Map<store.RoleRecord, number>()
        for (const [index, { id, position }] of moves.entries()) {
          const role = before.find(each => each.id === id)
          if (role === undefined)
            throw invalid(`[${index}].id`, 'unknown_role', 'must be a role of this server')
          places.set(role, position)
        }
        const positions = planRoleMoves(before, places)
        const after = before.map(role => ({ ...role, position: positions.get(role.id) ?? role.position }))
        requireKeptPlaces(access, before, after)
        let changed = 0
        for (const [index, role] of after.entries()) {
          const from = before[index]
          if (from === undefined || from.position === role.position) continue
          await storeChange(tx, actor, from, role)
          changed++
        }
        return { roles: sortRoles(after).toReversed().map(toRole), changed }
      })
    },

    /**
     * Requires MANAGE_ROLES and all permissions of the role. 409 for @everyone and for a managed role
     * (community/everyone-role).
     */
    deleteRole(actor: Actor, serverId: string, roleId: string): Promise<void> {
      return db.transaction(async tx => {
        const { access, role } = await requireRole(tx, actor.userId, serverId, roleId)
        requireManageableRole(access, role)
        if (isEveryone(role)) throw new AppError('conflict', 'The role @everyone cannot be deleted.')
        if (role.botId !== null) {
          throw new AppError('conflict', 'A managed role is deleted when its bot is removed from the server.')
        }
        requireGrantable(access.permissions, role.permissions)
        await deleteRole(tx, role)
        await auditLog.record(tx, actOn('ROLE_DELETE', actor, role, role, undefined))
      })
    },

    /** For a new server. It publishes no event, because the server has no members yet. */
    createEveryoneRole(tx: Transaction, serverId: string): Promise<void> {
      return store.insertRole(tx, {
        id: serverId,
        serverId,
        name: '@everyone',
        permissions: defaultEveryone,
        color: 0,
        position: 0,
        botId: null,
      })
    },

    /**
     * Creates the managed role of a bot or sets its permissions, and returns its id (sign-in/bot-installation).
     * `access` is that of the user who adds the bot: 403 unless it allows to change the existing role. A new role needs
     * no check here: the OAuth module limits `permissions` to those of the user.
     */
    async setManagedRole(
      tx: Transaction,
      access: ServerAccess,
      { botId, name, permissions }: { botId: string; name: string; permissions: bigint },
    ): Promise<string> {
      const serverId = access.server.id
      await lockServerRow(tx, serverId)
      const role = await store.findManagedRole(tx, serverId, botId)
      if (role === undefined) {
        const created = { id: ids(), serverId, name, permissions, color: 0, position: LOWEST_POSITION, botId }
        return (await insertRole(tx, created)).id
      }
      if (role.permissions !== permissions) {
        const actor = { userId: access.member.userId }
        await changeRole(tx, actor, access, role, { ...role, permissions })
      }
      return role.id
    },

    /** Does nothing if the member is not a bot with a managed role. The caller has locked the server of a bot. */
    async deleteManagedRole(tx: Transaction, serverId: string, botId: string): Promise<void> {
      const role = await store.findManagedRole(tx, serverId, botId)
      if (role !== undefined) await deleteRole(tx, role)
    },
  }
}

/** For the audit log. */
function actOn(
  action: 'ROLE_CREATE' | 'ROLE_UPDATE' | 'ROLE_DELETE',
  actor: Actor,
  { id, serverId, name }: store.RoleRecord,
  before: store.RoleRecord | undefined,
  after: store.RoleRecord | undefined,
): Act {
  const keys = ['name', 'permissions', 'color', 'position'] as const
  const changes = changesOf(keys, before && toRole(before), after && toRole(after))
  return { serverId, actor, action, target: { type: 'role', id, name }, changes }
}

/** Those of `ids` that are roles of the server. */
export async function findRoles(sql: Sql, serverId: string, ids: readonly string[]): Promise<Role[]> {
  return (await store.findRoles(sql, serverId, ids)).map(toRole)
}

/** From the lowest one. */
export async function listServerRoles(sql: Sql, serverId: string): Promise<Role[]> {
  return sortRoles(await store.listRoles(sql, serverId))
    .toReversed()
    .map(toRole)
}

function toRole({ botId, ...role }: store.RoleRecord): Role {
  return { ...role, permissions: formatPermissions(role.permissions), managed: botId !== null }
}

function applyBody(role: store.RoleRecord, body: UpdateRoleBody): store.RoleRecord {
  const { name = role.name, color = role.color, position = role.position } = body
  if (isEveryone(role)) {
    if (name !== role.name) {
      throw invalid('name', 'invalid_choice', 'must be "@everyone" for the role @everyone')
    }
    if (position !== role.position) {
      throw invalid('position', 'out_of_range', 'must be 0 for the role @everyone')
    }
  }
  const permissions =
    body.permissions === undefined ? role.permissions : parsePermissionBits('permissions', body.permissions)
  if (position !== role.position) requirePosition(position)
  return { ...role, name, permissions, color, position }
}

function requirePosition(position: number): number {
  if (position >= LOWEST_POSITION) return position
  throw invalid('position', 'out_of_range', 'must be at least 1, because 0 is the position of @everyone')
}
