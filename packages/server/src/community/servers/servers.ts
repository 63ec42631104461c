import type { AuditLogEntry, AuditLogQuery } from '@gatehouse/protocol/audit-log'
import { maxOwnedServers } from '@gatehouse/protocol/limits'
import { formatPermissions, permissionFor, serverPermissions } from '@gatehouse/protocol/permissions'
import type { CreateServerBody, Server, UpdateServerBody, UserServer } from '@gatehouse/protocol/servers'
import { findUser, lockUserRow, type Users } from '../../accounts/users/index.ts'
import { type Actor, changesOf } from '../../audit/index.ts'
import { AppError, notFound } from '../../errors/app-error.ts'
import { limitReached } from '../../i18n/localized-error.ts'
import { deleteImage, type EncodedImage, encodeImage, readImageUri, saveImage } from '../../images/index.ts'
import type { InstanceSettings } from '../../instance/index.ts'
import { inSlices } from '../../kit/batches.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import type { Channels } from '../channels/index.ts'
import type { Deps } from '../community-deps.ts'
import type { Members } from '../members/index.ts'
import { lockServerRow, requireServer, type ServerRecord, toServer } from '../permissions/index.ts'
import type { Roles } from '../roles/index.ts'
import * as store from './server-store.ts'

const FIRST_CHANNEL_NAME = 'general'

interface ServersDeps
  extends Pick<Deps, 'db' | 'clock' | 'ids' | 'events' | 'domainEvents' | 'auditLog'>,
    Pick<Users, 'requireVerified'> {
  instance: Pick<InstanceSettings, 'read'>
  roles: Roles
  channels: Channels
  members: Members
}

export type Servers = ReturnType<typeof createServers>

export function createServers({
  db,
  clock,
  ids,
  events,
  domainEvents,
  auditLog,
  instance,
  roles,
  channels,
  members,
  requireVerified,
}: ServersDeps) {
  /** Requires MANAGE_SERVER. Publishes SERVER_UPDATE after the commit, if something has changed. */
  function update(
    actor: Actor,
    serverId: string,
    change: (tx: Transaction) => Promise<void>,
  ): Promise<Server> {
    return db.transaction(async tx => {
      await requireServer(tx, clock(), actor.userId, serverId, permissionFor.changeServer)
      // The user first, whom `saveImage` locks too. Then the server, because `change` locks it before the image, and so
      // that both the event and the audit log have the name or icon that a concurrent request stored.
      await lockUserRow(tx, actor.userId)
      await lockServerRow(tx, serverId)
      const before = await requireServer(tx, clock(), actor.userId, serverId, permissionFor.changeServer)
      await change(tx)
      const after = await store.findServer(tx, serverId)
      if (after === undefined) throw notFound()
      const updated = toServer(after)
      const target = { type: 'server', id: serverId, name: after.name } as const
      const changes = changesOf(recordedKeys, toServer(before.server), updated)
      if (changes.length === 0) return updated
      await auditLog.record(tx, { serverId, actor, action: 'SERVER_UPDATE', target, changes })
      tx.afterCommit(() => events.toServer(serverId, { t: 'SERVER_UPDATE', d: updated }))
      return updated
    })
  }

  /** Requires MANAGE_SERVER first, because it takes long. */
  async function encodeIcon(
    userId: string,
    serverId: string,
    bytes: Uint8Array,
    path?: string,
  ): Promise<EncodedImage> {
    await requireServer(db, clock(), userId, serverId, permissionFor.changeServer)
    return encodeImage(clock, userId, bytes, path)
  }

  async function requireMayCreate(tx: Transaction, userId: string): Promise<void> {
    const { serverCreation } = await instance.read(tx)
    if (serverCreation === 'everyone' || (await findUser(tx, userId))?.administrator) return
    throw new AppError('missing_permission', 'Only administrators of this service can create servers.')
  }

  return {
    /**
     *
     * Creates @everyone and a
     * channel too. The user becomes the owner and first member.
     Throws `missing_permission` if
     * only administrators may create servers (administration/server-creation).
     */
    createServer(userId: string, body: CreateServerBody): Promise<Server> {
      return db.transaction(async tx => {
        await requireVerified(tx, userId)
        await requireMayCreate(tx, userId)
        await lockUserRow(tx, userId)
        if ((await store.countOwnedServers(tx, userId)) >= maxOwnedServers) throw limitReached('ownedServers')
        const server: ServerRecord = {
          ...{ id: ids(), name: body.name, icon: null, ownerId: userId },
          ...{ invitesPaused: 0, verificationLevel: 'none' },
        }
        await store.insertServer(tx, server, clock())
        await roles.createEveryoneRole(tx, server.id)
        await channels.createInitialChannel(tx, { serverId: server.id, name: FIRST_CHANNEL_NAME })
        await members.addMember(tx, server, userId)
        return toServer(server)
      })
    },

    /** 404 if the user is not a member. */
    async getServer(userId: string, serverId: string): Promise<Server> {
      const { server } = await requireServer(db, clock(), userId, serverId)
      return toServer(server)
    },

    /** Requires MANAGE_SERVER, before the icon is decoded. Throws as `encodeImage` and `saveImage`. */
    async updateServer(actor: Actor, serverId: string, body: UpdateServerBody): Promise<Server> {
      const { name, invitesPaused, verificationLevel, icon } = body
      const image =
        icon === undefined || icon === null
          ? icon
          : await encodeIcon(actor.userId, serverId, readImageUri(icon), 'icon')
      return update(actor, serverId, async tx => {
        if (name !== undefined) await store.setName(tx, serverId, name)
        if (invitesPaused !== undefined) await store.setInvitesPaused(tx, serverId, invitesPaused)
        if (verificationLevel !== undefined) {
          await store.setVerificationLevel(tx, serverId, verificationLevel)
        }
        if (image !== undefined) await storeIcon(tx, actor.userId, serverId, image)
      })
    },

    /** Requires MANAGE_SERVER. Throws as `encodeImage` and `saveImage`. */
    async setIcon(actor: Actor, serverId: string, bytes: Uint8Array): Promise<Server> {
      const image = await encodeIcon(actor.userId, serverId, bytes)
      return update(actor, serverId, tx => storeIcon(tx, actor.userId, serverId, image))
    },

    /** Requires MANAGE_SERVER. */
    deleteIcon(actor: Actor, serverId: string): Promise<Server> {
      return update(actor, serverId, tx => storeIcon(tx, actor.userId, serverId, null))
    },

    /** Requires VIEW_AUDIT_LOG. Newest first. */
    async listAuditLog(userId: string, serverId: string, query: AuditLogQuery): Promise<AuditLogEntry[]> {
      await requireServer(db, clock(), userId, serverId, permissionFor.viewAuditLog)
      return auditLog.list(serverId, query)
    },

    /** Only the owner can delete the server; ADMINISTRATOR is not enough. */
    async deleteServer(actor: Actor, serverId: string): Promise<void> {
      await db.transaction(async tx => {
        const { name } = await requireOwner(tx, clock(), actor.userId, serverId)
        // First, because it waits for a concurrent upload, whose image must be deleted too.
        if (!(await store.markDeleted(tx, { id: serverId, ownerId: actor.userId }, clock()))) throw notOwner()
        await domainEvents.publish(tx, 'ServerDeleted', { serverId })
        await deleteImage(tx, 'servers', serverId)
        // In the audit log of the instance, because that of the server is deleted with it.
        const target = { type: 'server', id: serverId, name } as const
        await auditLog.record(tx, { serverId: null, actor, action: 'SERVER_DELETE', target })
      })
      await members.publishServerDeletion(serverId)
    },
  }
}

/** Null deletes the icon. The caller has locked the user and the server. */
async function storeIcon(
  tx: Transaction,
  uploaderId: string,
  serverId: string,
  image: EncodedImage | null,
): Promise<void> {
  if (image === null) {
    await store.setIcon(tx, serverId, null)
    return deleteImage(tx, 'servers', serverId)
  }
  const icon = await saveImage(tx, { kind: 'servers', ownerId: serverId, uploaderId, image })
  await store.setIcon(tx, serverId, icon)
}

const recordedKeys = ['name', 'icon', 'invitesPaused', 'verificationLevel'] as const

/** For what ADMINISTRATOR is not enough. */
export async function requireOwner(
  sql: Sql,
  now: number,
  userId: string,
  serverId: string,
): Promise<ServerRecord> {
  const { server } = await requireServer(sql, now, userId, serverId)
  if (server.ownerId !== userId) throw notOwner()
  return server
}

export function notOwner(): AppError {
  return new AppError('missing_permission', 'Only the owner of the server can do this.')
}

const serversPerStatement = 20

/**
 * The servers of a user or bot by id, with their permissions there before the overwrites of any channel, and the number
 * of roles that it read. Must not be called in a transaction.
 */
export async function listUserServers(
  sql: Sql,
  userId: string,
): Promise<{ servers: UserServer[]; roleCount: number }> {
  const servers = await store.listServersOfUser(sql, userId)
  // An owner has all permissions.
  const serverIds = servers.filter(({ ownerId }) => ownerId !== userId).map(({ id }) => id)
  const rows = await inSlices(serverIds, serversPerStatement, ids =>
    store.listRolePermissionsOfUser(sql, userId, ids),
  )
  const byServer = new Map(rows.flat().map(row => [row.serverId, row.permissions.split(',')]))
  const userServers = servers.map(server => {
    const owner = server.ownerId === userId
    const permissions = serverPermissions({
      isOwner: owner,
      roles: (byServer.get(server.id) ?? []).map(BigInt),
    })
    const { id, name, icon } = toServer(server)
    return { id, name, icon, owner, permissions: formatPermissions(permissions) }
  })
  const roleCount = [...byServer.values()].reduce((sum, roles) => sum + roles.length, 0)
  return { servers: userServers, roleCount }
}
