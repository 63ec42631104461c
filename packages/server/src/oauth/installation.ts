import { isId } from '@gatehouse/protocol/ids'
import { has, permissionFor } from '@gatehouse/protocol/permissions'
import { findApplication } from '../applications/index.ts'
import { findServerAccess } from '../community/permissions/index.ts'
import { listUserServers } from '../community/servers/index.ts'
import { AppError } from '../errors/app-error.ts'
import { LocalizedError } from '../i18n/localized-error.ts'
import type { Transaction } from '../storage/database.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import type { Deps } from './oauth-deps.ts'
import { nonRedirectableError } from './oauth-errors.ts'

/** Only the owner of an application adds it, unless it is public (sign-in/public-bots). */
function requireMayAdd(userId: string, { ownerId, publicBot, name }: AuthorizationRequest['client']): void {
  if (publicBot || ownerId === userId) return
  throw nonRedirectableError('error.botNotPublic', { params: { application: name } })
}

/** A server on which the user can install the application. */
export interface ServerChoice {
  id: string
  name: string
}

export type Installation = ReturnType<typeof createInstallation>

/** The installation of an application on a server (sign-in/bot-installation). */
export function createInstallation({ db, clock, integrations }: Deps) {
  /**
   * The servers that the user manages (sign-in/bot-installation). Commands without a bot can only be installed where
   * the bot is a member (sign-in/commands-scope).
   */
  async function listServerChoices(
    userId: string,
    { client, scopes }: AuthorizationRequest,
  ): Promise<ServerChoice[]> {
    requireMayAdd(userId, client)
    const { servers } = await listUserServers(db, userId)
    const managed = servers.filter(server => has(BigInt(server.permissions), permissionFor.manageBots))
    if (scopes.has('bot')) return managed.map(({ id, name }) => ({ id, name }))
    const choices: ServerChoice[] = []
    for (const { id, name } of managed) {
      if (await integrations.isInstalled(db, id, client.id)) choices.push({ id, name })
    }
    if (choices.length === 0) {
      throw nonRedirectableError('error.botNotOnManagedServers', { params: { application: client.name } })
    }
    return choices
  }

  /**
   * Installs the application on the server. The bot gets the requested permissions that the user has too
   * (sign-in/bot-installation); returns them. Throws AppError if the user does not manage the server or may not change
   * the role that the bot already has (community/permission-hierarchy), or if commands are installed without the bot
   * (sign-in/commands-scope).
   */
  async function installApplication(
    tx: Transaction,
    userId: string,
    serverId: string,
    { client, scopes, permissions: requested }: AuthorizationRequest,
  ): Promise<bigint> {
    requireMayAdd(userId, client)
    const access = await findServerAccess(tx, clock(), userId, serverId)
    if (!access || !has(access.permissions, permissionFor.manageBots)) {
      throw nonRedirectableError('error.serverNotManaged')
    }
    const params = { application: client.name }
    if (!scopes.has('bot') && !(await integrations.isInstalled(tx, serverId, client.id))) {
      throw nonRedirectableError('error.botNotOnServer', { params })
    }
    const permissions = scopes.has('bot') ? requested & access.permissions : 0n
    const installation = {
      applicationId: client.id,
      serverId,
      scopes: scopes.installation,
      permissions,
      addedBy: userId,
    }
    await integrations.install(tx, installation).catch(error => {
      if (!(error instanceof AppError)) throw error
      if (error.code === 'banned') throw new LocalizedError(error.code, 'error.botBanned', { params })
      if (error.code !== 'missing_permission') throw error
      throw new LocalizedError(error.code, 'error.botRoleUnchangeable', { params, technical: error.message })
    })
    return permissions
  }

  /**
   * The names for the page that confirms an installation. Undefined if the user is not a member of the server or the
   * application is not installed there, so that the page does not disclose names.
   */
  async function findNames(
    userId: string | undefined,
    applicationId: string,
    serverId: string,
  ): Promise<{ application: string; server: string } | undefined> {
    if (userId === undefined || !isId(applicationId) || !isId(serverId)) return undefined
    const access = await findServerAccess(db, clock(), userId, serverId)
    const application = await findApplication(db, applicationId)
    if (!access || !application || !(await integrations.isInstalled(db, serverId, applicationId)))
      return undefined
    return { application: application.name, server: access.server.name }
  }

  return { listServerChoices, installApplication, findNames }
}
