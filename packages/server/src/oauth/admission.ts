import { type ApplicationRecord, findBindingState } from '../applications/index.ts'
import { lockMemberAndRoles } from '../community/members/index.ts'
import { afterMemberTimeOuts, findServerAccess, type ServerAccess } from '../community/permissions/index.ts'
import { listRoles } from '../community/roles/index.ts'
import type { Sql, Transaction } from '../storage/database.ts'
import { NotAdmittedError } from './oauth-errors.ts'

type BoundApplication = Pick<ApplicationRecord, 'ownerId' | 'server'>

/**
 * The user as a member of the server to which the application is bound, whatever time-out they have. Undefined if they
 * are not a member, and also if the server is deleted or the binding is suspended or ended (sign-in/server-binding).
 */
export async function findBoundMember(
  sql: Sql,
  client: BoundApplication,
  userId: string,
): Promise<ServerAccess | undefined> {
  if (client.server === null) return undefined
  const [state, user] = await Promise.all([
    findBindingState(sql, client),
    findServerAccess(sql, afterMemberTimeOuts, userId, client.server.id),
  ])
  return state === undefined || state === 'kept' ? user : undefined
}

/** Whether the user may sign in to the application (sign-in/members-only). */
export async function isAdmitted(sql: Sql, client: BoundApplication, userId: string): Promise<boolean> {
  if (!client.server?.membersOnly) return true
  const access = await findBoundMember(sql, client, userId)
  if (access === undefined) return false
  const { requiredRoles } = client.server
  return requiredRoles.length === 0 || access.member.roles.some(id => requiredRoles.includes(id))
}

/**
 * The same in a transaction that issues a code or tokens. The loss of the membership or of a role waits for it, and
 * then revokes what it has issued (admission-loss.ts).
 */
export async function lockAdmission(
  tx: Transaction,
  client: BoundApplication,
  userId: string,
): Promise<boolean> {
  if (!client.server?.membersOnly) return true
  await lockMemberAndRoles(tx, client.server.id, userId)
  return isAdmitted(tx, client, userId)
}

/**
 * The error for a user who is not admitted. It blames the setting of the application if that admits nobody, which says
 * nothing about the user.
 */
export async function notAdmitted(sql: Sql, client: BoundApplication): Promise<NotAdmittedError> {
  const state = await findBindingState(sql, client)
  const isSuspended = state === 'suspended' || state === 'ended'
  return new NotAdmittedError(isSuspended || !(await hasRequiredRole(sql, client)) ? 'setting' : 'user')
}

/** Whether one of the required roles, if there are any, exists. */
async function hasRequiredRole(sql: Sql, { server }: BoundApplication): Promise<boolean> {
  if (server === null || server.requiredRoles.length === 0) return true
  return (await listRoles(sql, server.id)).some(({ id }) => server.requiredRoles.includes(id))
}
