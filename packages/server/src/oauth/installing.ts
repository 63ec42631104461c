import { isId } from '@gatehouse/protocol/ids'
import { has, Permission } from '@gatehouse/protocol/permissions'
import { findApplication, type InstallationRules } from '../applications/index.ts'
import { serversOf } from '../platform/members/index.ts'
import { serverAccess } from '../platform/permissions/index.ts'
import type { Sql, Transaction } from '../storage/database.ts'
import { dead } from './authorize/refusal.ts'
import type { AuthorizationRequest } from './authorize/request.ts'
import { isInstallation } from './scopes.ts'

/** A server on which the person could add the application. */
export interface Choice {
  id: string
  name: string
}

/** What adding a bot needs of applications/. */
export type Installing = Pick<InstallationRules, 'install' | 'isInstalled'>

/** The servers to choose from: those the person manages (D23), and for commands alone where the bot is (D68). */
export async function choicesFor(
  sql: Sql,
  installing: Installing,
  userId: string,
  request: AuthorizationRequest,
): Promise<Choice[]> {
  const servers = await serversOf(sql, userId)
  const managed = servers.filter(server => has(BigInt(server.permissions), Permission.MANAGE_SERVER))
  if (request.scopes.has('bot')) return managed.map(({ id, name }) => ({ id, name }))
  const choices: Choice[] = []
  for (const { id, name } of managed) {
    if (await installing.isInstalled(sql, id, request.client.id)) choices.push({ id, name })
  }
  if (choices.length === 0)
    throw dead(`The bot of ${request.client.name} is on none of the servers you manage.`)
  return choices
}

/**
 * Adds the application to the server, with `permissions` cut down to what the person holds (D23); answers what was
 * granted. Throws for a page where the person does
 * not manage the server, or the bot is missing where it has to be (D68).
 */
export async function installFor(
  tx: Transaction,
  installing: Installing,
  userId: string,
  serverId: string,
  request: AuthorizationRequest,
): Promise<bigint> {
  const access = await serverAccess(tx, userId, serverId)
  if (!access || !has(access.permissions, Permission.MANAGE_SERVER)) {
    throw dead('You do not manage the server that you chose.')
  }
  const { client, scopes } = request
  if (!scopes.has('bot') && !(await installing.isInstalled(tx, serverId, client.id))) {
    throw dead(`The bot of ${client.name} is not on that server.`)
  }
  const permissions = scopes.has('bot') ? request.permissions & access.permissions : 0n
  await installing.install(tx, {
    applicationId: client.id,
    serverId,
    scopes: scopes.meanings.filter(isInstallation),
    permissions,
    addedBy: userId,
  })
  return permissions
}

/** Names for the page at the end; undefined where the person is not on that server, or it was not added there. */
export async function whatWasAdded(
  sql: Sql,
  installing: Pick<Installing, 'isInstalled'>,
  userId: string | undefined,
  applicationId: string,
  serverId: string,
): Promise<{ application: string; server: string } | undefined> {
  if (userId === undefined || !isId(applicationId) || !isId(serverId)) return undefined
  const access = await serverAccess(sql, userId, serverId)
  const application = await findApplication(sql, applicationId)
  if (!access || !application || !(await installing.isInstalled(sql, serverId, applicationId)))
    return undefined
  return { application: application.name, server: access.server.name }
}
