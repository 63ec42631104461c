import { isScope } from '@gatehouse/protocol/scopes'
import type { Integration } from '@gatehouse/protocol/servers'
import type { User } from '@gatehouse/protocol/users'
import { notFound } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Events } from '../../platform/events.ts'
import type { Database, Sql, Transaction } from '../../storage/database.ts'
import { deleteCommandsOfServer } from '../commands/store.ts'
import { findApplication, findByBotUser, lockApplication } from '../store.ts'
import * as store from './store.ts'

interface InstallationDeps {
  db: Database
  clock: Clock
  events: Events
  findUsers: (sql: Sql, ids: readonly string[]) => Promise<Map<string, User>>
  iconPath: (applicationId: string, hash: string) => string
  /** 404 where the person is not a member of the server. */
  requireMember: (sql: Sql, userId: string, serverId: string) => Promise<void>
  /** Makes the bot a member with a managed role; where it is one, the role gets these permissions. */
  addBot: (
    tx: Transaction,
    bot: { serverId: string; userId: string; applicationId: string; permissions: bigint; roleName: string },
  ) => Promise<{ roleId: string }>
}

export interface InstallationRules {
  /**
   * Adds an application's bot, its commands or both to a server (D23, D68). `permissions` is already cut down to what
   * `addedBy` holds. Throws 404 where `bot` is asked of an application that has none.
   */
  install(
    tx: Transaction,
    request: {
      applicationId: string
      serverId: string
      scopes: readonly string[]
      permissions: bigint
      addedBy: string
    },
  ): Promise<void>
  isInstalled(sql: Sql, serverId: string, applicationId: string): Promise<boolean>
  /** `GET /api/servers/:id/integrations`, for members. */
  list(userId: string, serverId: string): Promise<Integration[]>
  /** A bot left a server, of itself or not: its installation and its commands there go in the same transaction (D53). */
  memberRemoved(tx: Transaction, serverId: string, userId: string): Promise<void>
}

export function createInstallationRules(deps: InstallationDeps): InstallationRules {
  return {
    async install(tx, { applicationId, serverId, scopes, permissions, addedBy }) {
      const application = await findApplication(tx, applicationId)
      if (!application) throw notFound()
      const before = await store.findInstallation(tx, serverId, applicationId)
      let roleId = before?.roleId ?? null
      const withBot = scopes.includes('bot')
      if (withBot) {
        if (application.botUserId === null) throw notFound()
        const bot = { serverId, userId: application.botUserId, applicationId, permissions }
        roleId = (await deps.addBot(tx, { ...bot, roleName: application.name })).roleId
      }
      const all = new Set([...(before?.scopes.split(' ') ?? []), ...scopes])
      await store.putInstallation(tx, {
        serverId,
        applicationId,
        scopes: ['bot', 'applications.commands'].filter(scope => all.has(scope)).join(' '),
        permissions: withBot ? permissions : (before?.permissions ?? 0n),
        roleId,
        addedBy,
        addedAt: deps.clock(),
      })
      tx.afterCommit(() => deps.events.toServer(serverId, { t: 'COMMANDS_UPDATE', d: { serverId } }))
    },

    isInstalled: async (sql, serverId, applicationId) =>
      (await store.findInstallation(sql, serverId, applicationId)) !== undefined,

    async list(userId, serverId) {
      await deps.requireMember(deps.db, userId, serverId)
      const installations = await store.listInstallations(deps.db, serverId)
      const applications = await Promise.all(
        installations.map(installation => findApplication(deps.db, installation.applicationId)),
      )
      const people = await deps.findUsers(deps.db, [
        ...installations.map(installation => installation.addedBy),
        ...applications.flatMap(application => application?.botUserId ?? []),
      ])
      return installations.flatMap((installation, index): Integration[] => {
        const application = applications[index]
        const bot = people.get(application?.botUserId ?? '')
        const addedBy = people.get(installation.addedBy)
        if (!application || !bot || !addedBy) return []
        const icon =
          application.iconHash === null ? null : deps.iconPath(application.id, application.iconHash)
        return [
          {
            application: { id: application.id, name: application.name, icon },
            bot,
            scopes: installation.scopes.split(' ').filter(isScope),
            permissions: installation.permissions.toString(),
            addedBy,
            addedAt: new Date(installation.addedAt).toISOString(),
          },
        ]
      })
    },

    async memberRemoved(tx, serverId, userId) {
      const applicationId = await findByBotUser(tx, userId)
      if (applicationId === undefined) return
      // A set of commands that is put for the server at this moment stands before what is deleted here, or is refused.
      await lockApplication(tx, applicationId)
      await deleteCommandsOfServer(tx, applicationId, serverId)
      if (await store.deleteInstallation(tx, serverId, applicationId)) {
        tx.afterCommit(() => deps.events.toServer(serverId, { t: 'COMMANDS_UPDATE', d: { serverId } }))
      }
    },
  }
}
