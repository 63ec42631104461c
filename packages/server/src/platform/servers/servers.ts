import { Permission } from '@gatehouse/protocol/permissions'
import type { CreateServerBody, Server, UpdateServerBody } from '@gatehouse/protocol/servers'
import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Database, Sql, Transaction } from '../../storage/database.ts'
import type { Channels } from '../channels/index.ts'
import type { Events } from '../events.ts'
import { checkImage, dropImage, saveImage } from '../images/index.ts'
import type { Members } from '../members/index.ts'
import { requireServer, type ServerRecord, serverView } from '../permissions/index.ts'
import type { Roles } from '../roles/index.ts'
import * as store from './store.ts'

interface ServersDeps {
  db: Database
  clock: Clock
  ids: () => string
  events: Pick<Events, 'toServer'>
  roles: Pick<Roles, 'createEveryone'>
  channels: Pick<Channels, 'addChannel'>
  members: Pick<Members, 'addMember' | 'dismissAll'>
  /** D49: throws 403 `email_not_verified` where that is asked for. */
  requireVerified: (sql: Sql, userId: string) => Promise<void>
}

export interface Servers {
  /** With @everyone and the channel `general`; the creator is its owner and first member. */
  createServer(userId: string, body: CreateServerBody): Promise<Server>
  /** 404 for no member. */
  getServer(userId: string, serverId: string): Promise<Server>
  /** Needs MANAGE_SERVER. */
  updateServer(userId: string, serverId: string, body: UpdateServerBody): Promise<Server>
  /** Needs MANAGE_SERVER. Throws as `checkImage` of images/. */
  setIcon(userId: string, serverId: string, bytes: Uint8Array): Promise<Server>
  /** Needs MANAGE_SERVER. */
  removeIcon(userId: string, serverId: string): Promise<Server>
  /** For the owner alone. */
  deleteServer(userId: string, serverId: string): Promise<void>
}

const FIRST_CHANNEL = 'general'

export function createServers(deps: ServersDeps): Servers {
  const { db, clock, ids, events, roles, channels, members, requireVerified } = deps

  /** SERVER_UPDATE with the server as it stands now, which is the answer too. */
  function announce(tx: Transaction, server: ServerRecord): Server {
    const view = serverView(server)
    tx.afterCommit(() => events.toServer(server.id, { t: 'SERVER_UPDATE', d: view }))
    return view
  }

  return {
    createServer: (userId, body) =>
      db.transaction(async tx => {
        await requireVerified(tx, userId)
        const server: ServerRecord = { id: ids(), name: body.name, icon: null, ownerId: userId }
        await store.insertServer(tx, server, clock())
        await roles.createEveryone(tx, server.id)
        await channels.addChannel(tx, { serverId: server.id, name: FIRST_CHANNEL })
        await members.addMember(tx, server, userId)
        return serverView(server)
      }),
    async getServer(userId, serverId) {
      const { server } = await requireServer(db, userId, serverId)
      return serverView(server)
    },
    updateServer: (userId, serverId, body) =>
      db.transaction(async tx => {
        const { server } = await requireServer(tx, userId, serverId, Permission.MANAGE_SERVER)
        const name = body.name ?? server.name
        await store.setName(tx, serverId, name)
        return announce(tx, { ...server, name })
      }),
    async setIcon(userId, serverId, bytes) {
      checkImage(bytes)
      return db.transaction(async tx => {
        const { server } = await requireServer(tx, userId, serverId, Permission.MANAGE_SERVER)
        const icon = await saveImage(tx, { kind: 'servers', ownerId: serverId, bytes })
        await store.setIcon(tx, serverId, icon)
        return announce(tx, { ...server, icon })
      })
    },
    removeIcon: (userId, serverId) =>
      db.transaction(async tx => {
        const { server } = await requireServer(tx, userId, serverId, Permission.MANAGE_SERVER)
        await dropImage(tx, 'servers', serverId)
        await store.setIcon(tx, serverId, null)
        return announce(tx, { ...server, icon: null })
      }),
    deleteServer: (userId, serverId) =>
      db.transaction(async tx => {
        const { server } = await requireServer(tx, userId, serverId)
        if (server.ownerId !== userId) {
          throw new AppError('missing_permission', 'Only the owner can delete a server.')
        }
        await members.dismissAll(tx, serverId)
        await dropImage(tx, 'servers', serverId)
        await store.deleteServer(tx, serverId)
      }),
  }
}
