import { has, permissionFor } from '@gatehouse/protocol/permissions'
import type { ApplicationRecord } from '../applications/index.ts'
import { lockMemberAndRoles } from '../community/members/index.ts'
import { afterMemberTimeOuts, findServerAccess, type ServerAccess } from '../community/permissions/index.ts'
import type { Sql, Transaction } from '../storage/database.ts'

type BoundApplication = Pick<ApplicationRecord, 'ownerId' | 'server'>

/**
 * The user as a member of the server to which the application is bound. Undefined if they are not a member, and also
 * if the server is deleted or the owner of the application no longer manages it (sign-in/server-binding). A time-out
 * of either is no reason.
 */
export async function findBoundMember(
  sql: Sql,
  { ownerId, server }: BoundApplication,
  userId: string,
): Promise<ServerAccess | undefined> {
  if (server === null) return undefined
  const [owner, user] = await Promise.all([
    findServerAccess(sql, afterMemberTimeOuts, ownerId, server.id),
    findServerAccess(sql, afterMemberTimeOuts, userId, server.id),
  ])
  return owner && has(owner.permissions, permissionFor.changeServer) ? user : undefined
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
