import { AppError } from '../../errors/app-error.ts'
import type { Transaction } from '../../storage/database.ts'
import type { AccountDeps } from './account-deps.ts'
import { emailKey, publishUserUpdate, requireUser } from './user.ts'
import * as store from './user-store.ts'

export function createUserStates(deps: AccountDeps) {
  const { clock, sessions, domainEvents } = deps
  return {
    /**
     * From now on no credential of the user is valid, nor of their bots and applications. Nothing is deleted
     * (administration/disable). Returns false if nothing changed.
     */
    async setDisabled(tx: Transaction, userId: string, disabled: boolean): Promise<boolean> {
      if (!(await store.setDisabled(tx, userId, disabled ? clock() : null))) return false
      if (disabled) {
        await sessions.closeConnections(tx, userId)
        await domainEvents.publish(tx, 'UserDisabled', { userId })
      }
      return true
    },

    /** Returns false if nothing changed. */
    async setAdministrator(tx: Transaction, userId: string, administrator: boolean): Promise<boolean> {
      const before = await requireUser(tx, userId)
      if (!(await store.setAdministrator(tx, userId, administrator))) return false
      await publishUserUpdate(tx, deps, before, { ...before, administrator })
      return true
    },

    /** Returns false if the email address was confirmed before. */
    async confirmEmail(tx: Transaction, userId: string): Promise<boolean> {
      // Before it is read, so that the address is the one that is confirmed.
      await store.lockUserRow(tx, userId)
      const before = await requireUser(tx, userId)
      if (before.email === null || before.emailVerified) return false
      await store.verifyEmail(tx, userId, emailKey(before.email))
      await store.deleteMailTokensFor(tx, userId, 'verify')
      await publishUserUpdate(tx, deps, before, { ...before, emailVerified: true })
      return true
    },

    /**
     * Before an administrator is demoted or disabled: of two such acts at the same time, the second one sees what the
     * first one did (administration/last-administrator).
     */
    lockAdministrators: store.lockAdministrators,

    /** Throws `conflict` if nobody could administer the instance (administration/last-administrator). */
    async requireAdministratorLeft(tx: Transaction): Promise<void> {
      if (await store.hasAdministrator(tx)) return
      throw new AppError('conflict', 'The last administrator can be neither demoted nor disabled.')
    },
  }
}
