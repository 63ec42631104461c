import type { AuditChange } from '@gatehouse/protocol/audit-log'
import { findUser, lockUserRow, requireLogin, type UserRecord } from '../accounts/users/index.ts'
import { changesOf } from '../audit/index.ts'
import { AppError, notFound } from '../errors/app-error.ts'
import type { Transaction } from '../storage/database.ts'

/**
 * The person who becomes the owner of a server or an application. `owner` is an id, a username or an email address.
 * Locks the row, so that nobody disables them at the same time. 404 for a bot and an unknown user, 409 for a disabled
 * one.
 */
export async function lockNewOwner(tx: Transaction, owner: string): Promise<UserRecord> {
  const found =
    (/^\d+$/.test(owner) ? await findUser(tx, owner) : undefined) ?? (await requireLogin(tx, owner))
  await lockUserRow(tx, found.id)
  const user = await findUser(tx, found.id)
  if (user === undefined || user.bot) throw notFound()
  if (user.disabledAt !== null) throw new AppError('conflict', 'Enable the user first.')
  return user
}

/** The new owner, for the audit log. */
export async function ownerChanges(
  tx: Transaction,
  formerOwnerId: string,
  owner: UserRecord,
): Promise<AuditChange[]> {
  const former = await findUser(tx, formerOwnerId)
  const view = ({ id, username: name }: UserRecord) => ({ owner: { id, name } })
  return changesOf(['owner'], former && view(former), view(owner))
}
