import { isScope } from '@gatehouse/protocol/scopes'
import type { Integration } from '@gatehouse/protocol/servers'
import { findUser, findUsers, userView } from '../accounts/users/index.ts'
import { changesOf, userTarget } from '../audit/index.ts'
import { requireServer } from '../community/permissions/index.ts'
import { notFound } from '../errors/app-error.ts'
import type { Sql, Transaction } from '../storage/database.ts'
import type { Deps } from './application-deps.ts'
import { findApplication, findByBotUser, lockApplication } from './application-store.ts'
import { toIconPath } from './applications.ts'
import { deleteServerCommands } from './command-store.ts'
import * as store from './integration-store.ts'

interface NewIntegration
  extends Pick<store.IntegrationRecord, 'applicationId' | 'serverId' | 'permissions' | 'addedBy'> {
  scopes: readonly string[]
}

export type Integrations = ReturnType<typeof createIntegrations>

export function createIntegrations({ db, clock, events, auditLog, members }: Deps) {
  return {
    /**
     * Adds an application's bot, its commands or both to a server (sign-in/bot-installation, sign-in/commands-scope).
     * The caller limits `permissions` to those that `addedBy` has. Throws 404 for the scope `bot` if the application
     * has no bot, and 403 if `addedBy` may not change the role that the bot already has
     * (community/permission-hierarchy).
     */
    async install(
      tx: Transaction,
      { applicationId, serverId, scopes, permissions, addedBy }: NewIntegration,
    ): Promise<void> {
      const application = await findApplication(tx, applicationId)
      if (!application) throw notFound()
      const existing = await store.findIntegration(tx, serverId, applicationId)
      let roleId = existing?.roleId ?? null
      const withBot = scopes.includes('bot')
      if (withBot) {
        if (application.botUserId === null) throw notFound()
        const bot = { serverId, userId: application.botUserId, permissions, roleName: application.name }
        roleId = (await members.addBot(tx, { ...bot, addedBy })).roleId
      }
      const allScopes = new Set([...(existing?.scopes.split(' ') ?? []), ...scopes])
      const integration = {
        serverId,
        applicationId,
        scopes: ['bot', 'applications.commands'].filter(scope => allScopes.has(scope)).join(' '),
        permissions: withBot ? permissions : (existing?.permissions ?? 0n),
        roleId,
        addedBy,
        addedAt: clock(),
      }
      await store.upsertIntegration(tx, integration)
      const bot = application.botUserId === null ? undefined : await findUser(tx, application.botUserId)
      const changes = changesOf(
        ['scopes', 'permissions'],
        existing && toGranted(existing),
        toGranted(integration),
      )
      if (bot && changes.length > 0) {
        const act = { serverId, actor: { userId: addedBy }, target: userTarget(bot), changes }
        await auditLog.record(tx, { ...act, action: 'BOT_ADD' })
      }
      tx.afterCommit(() => events.toServer(serverId, { t: 'COMMANDS_UPDATE', d: { serverId } }))
    },

    async isInstalled(sql: Sql, serverId: string, applicationId: string): Promise<boolean> {
      return (await store.findIntegration(sql, serverId, applicationId)) !== undefined
    },

    /** Throws 404 unless the user is a member of the server. */
    async list(userId: string, serverId: string): Promise<Integration[]> {
      await requireServer(db, clock(), userId, serverId)
      const integrations = await store.listIntegrations(db, serverId)
      const applications = await Promise.all(
        integrations.map(({ applicationId }) => findApplication(db, applicationId)),
      )
      const users = await findUsers(db, [
        ...integrations.map(({ addedBy }) => addedBy),
        ...applications.flatMap(application => application?.botUserId ?? []),
      ])
      return integrations.flatMap((integration, index): Integration[] => {
        const application = applications[index]
        const bot = users.get(application?.botUserId ?? '')
        const addedBy = users.get(integration.addedBy)
        if (!application || !bot || !addedBy) return []
        const { id, name, iconHash } = application
        return [
          {
            application: { id, name, icon: toIconPath(id, iconHash) },
            bot: userView(bot),
            ...toGranted(integration),
            addedBy: userView(addedBy),
            addedAt: new Date(integration.addedAt).toISOString(),
          },
        ]
      })
    },

    /**
     * Deletes the integration and the server commands of a bot in the transaction that removes it (bots/bot-removed).
     */
    async onMemberRemoved(tx: Transaction, serverId: string, userId: string): Promise<void> {
      const applicationId = await findByBotUser(tx, userId)
      if (applicationId === undefined) return
      // A concurrent request for the server commands either commits first, and they are deleted here, or gets 404.
      await lockApplication(tx, applicationId)
      await deleteServerCommands(tx, applicationId, serverId)
      if (await store.deleteIntegration(tx, serverId, applicationId)) {
        tx.afterCommit(() => events.toServer(serverId, { t: 'COMMANDS_UPDATE', d: { serverId } }))
      }
    },
  }
}

function toGranted({ scopes, permissions }: Pick<store.IntegrationRecord, 'scopes' | 'permissions'>) {
  return { scopes: scopes.split(' ').filter(isScope), permissions: permissions.toString() }
}
