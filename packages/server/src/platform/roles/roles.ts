import { defaultEveryone, formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import type { CreateRoleBody, Role, UpdateRoleBody } from '@gatehouse/protocol/servers'
import { AppError, invalid, notFound } from '../../kit/app-error.ts'
import type { Database, Transaction } from '../../storage/database.ts'
import type { Events } from '../events.ts'
import {
  parsePermissionBits,
  requireGrantable,
  requireManageableRole,
  requireServer,
  type ServerAccess,
} from '../permissions/index.ts'
import * as store from './store.ts'

/** @everyone has position 0. A new role is above @everyone and below all older roles. */
const LOWEST_POSITION = 1

export type Roles = ReturnType<typeof createRoles>

export function createRoles({
  db,
  ids,
  events,
}: {
  db: Database
  ids: () => string
  events: Pick<Events, 'toServer'>
}) {
  function publish(tx: Transaction, t: 'ROLE_CREATE' | 'ROLE_UPDATE', role: store.RoleRecord): void {
    tx.afterCommit(() => events.toServer(role.serverId, { t, d: toRole(role) }))
  }

  async function deleteRole(tx: Transaction, { id, serverId }: store.RoleRecord): Promise<void> {
    if (!(await store.deleteRole(tx, id))) return
    tx.afterCommit(() => events.toServer(serverId, { t: 'ROLE_DELETE', d: { id, serverId } }))
  }

  return {
    /** From @everyone to the highest role. 404 if the user is not a member. */
    async listRoles(userId: string, serverId: string): Promise<Role[]> {
      await requireServer(db, userId, serverId)
      return (await store.listRoles(db, serverId)).map(toRole)
    },

    /**
     * Requires MANAGE_ROLES and all permissions of the role; 403 for a position above the caller's highest role
     * (community/permission-hierarchy).
     */
    createRole(userId: string, serverId: string, body: CreateRoleBody): Promise<Role> {
      return db.transaction(async tx => {
        const access = await requireServer(tx, userId, serverId, Permission.MANAGE_ROLES)
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
        await store.insertRole(tx, role)
        publish(tx, 'ROLE_CREATE', role)
        return toRole(role)
      })
    },

    /**
     * Requires MANAGE_ROLES and every permission that changes; 403 if the role is above the caller's highest role, before or
     * after the change. 400 for another name or position of @everyone (community/everyone-role).
     */
    updateRole(userId: string, serverId: string, roleId: string, body: UpdateRoleBody): Promise<Role> {
      return db.transaction(async tx => {
        const access = await requireServer(tx, userId, serverId, Permission.MANAGE_ROLES)
        const role = await store.findRole(tx, serverId, roleId)
        if (role === undefined) throw notFound()
        const changed = isEveryone(role) ? applyToEveryone(role, body) : applyBody(role, body)
        requireAllowedChange(access, role, changed)
        await store.updateRole(tx, changed)
        publish(tx, 'ROLE_UPDATE', changed)
        return toRole(changed)
      })
    },

    /** Requires MANAGE_ROLES and all permissions of the role. 409 for @everyone and for a managed role (community/everyone-role). */
    deleteRole(userId: string, serverId: string, roleId: string): Promise<void> {
      return db.transaction(async tx => {
        const access = await requireServer(tx, userId, serverId, Permission.MANAGE_ROLES)
        const role = await store.findRole(tx, serverId, roleId)
        if (role === undefined) throw notFound()
        requireManageableRole(access, role)
        if (isEveryone(role)) throw new AppError('conflict', 'The role @everyone cannot be deleted.')
        if (role.botId !== null) {
          throw new AppError('conflict', 'A managed role is deleted when its bot is removed from the server.')
        }
        requireGrantable(access.permissions, role.permissions)
        await deleteRole(tx, role)
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
     * Creates the managed role of a bot or sets its permissions, and returns its id (sign-in/bot-installation). `access` is that
     * of the user who adds the bot: 403 unless it allows to change the existing role. A new role needs no check here:
     * the OAuth module limits `permissions` to those of the user.
     */
    async setManagedRole(
      tx: Transaction,
      access: ServerAccess,
      { botId, name, permissions }: { botId: string; name: string; permissions: bigint },
    ): Promise<string> {
      const serverId = access.server.id
      const role = await store.findManagedRole(tx, serverId, botId)
      if (role !== undefined) {
        if (role.permissions === permissions) return role.id
        const changed = { ...role, permissions }
        requireAllowedChange(access, role, changed)
        await store.updateRole(tx, changed)
        publish(tx, 'ROLE_UPDATE', changed)
        return role.id
      }
      const created = { id: ids(), serverId, name, permissions, color: 0, position: LOWEST_POSITION, botId }
      await store.insertRole(tx, created)
      publish(tx, 'ROLE_CREATE', created)
      return created.id
    },

    /** Does nothing if the member is not a bot with a managed role. */
    async deleteManagedRole(tx: Transaction, serverId: string, botId: string): Promise<void> {
      const role = await store.findManagedRole(tx, serverId, botId)
      if (role !== undefined) await deleteRole(tx, role)
    },
  }
}

function toRole(role: store.RoleRecord): Role {
  const { id, serverId, name, permissions, color, position, botId } = role
  return {
    id,
    serverId,
    name,
    permissions: formatPermissions(permissions),
    color,
    position,
    managed: botId !== null,
  }
}

function requireAllowedChange(access: ServerAccess, before: store.RoleRecord, after: store.RoleRecord): void {
  requireManageableRole(access, before)
  requireGrantable(access.permissions, before.permissions ^ after.permissions)
  requireManageableRole(access, after)
}

/** The role @everyone has the id of its server. */
function isEveryone(role: store.RoleRecord): boolean {
  return role.id === role.serverId
}

function applyBody(role: store.RoleRecord, body: UpdateRoleBody): store.RoleRecord {
  const { name = role.name, permissions, color = role.color, position } = body
  return {
    ...role,
    name,
    permissions:
      permissions === undefined ? role.permissions : parsePermissionBits('permissions', permissions),
    color,
    position: position === undefined ? role.position : requirePosition(position),
  }
}

function applyToEveryone(role: store.RoleRecord, body: UpdateRoleBody): store.RoleRecord {
  if (body.name !== undefined && body.name !== role.name) {
    throw invalid('name', 'invalid_choice', 'must be "@everyone" for the role @everyone')
  }
  if (body.position !== undefined && body.position !== role.position) {
    throw invalid('position', 'out_of_range', 'must be 0 for the role @everyone')
  }
  const { position: _, ...rest } = body
  return applyBody(role, rest)
}

function requirePosition(position: number): number {
  if (position >= LOWEST_POSITION) return position
  throw invalid('position', 'out_of_range', 'must be at least 1, because 0 is the position of @everyone')
}
