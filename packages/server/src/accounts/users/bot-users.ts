import { deleteImage } from '../../images/index.ts'
import type { Transaction } from '../../storage/database.ts'
import type { AccountDeps } from './account-deps.ts'
import {
  mapUniqueViolations,
  rejectReservedUsername,
  rejectTakenFields,
  usernameOfDeleted,
} from './unique-fields.ts'
import * as store from './user-store.ts'

export function createBotUsers({ clock, ids }: Pick<AccountDeps, 'clock' | 'ids'>) {
  return {
    /** Throws `conflict` if the username is taken. */
    async createBotUser(
      tx: Transaction,
      { username, displayName }: { username: string; displayName: string },
    ): Promise<store.UserRecord> {
      rejectReservedUsername(username)
      await rejectTakenFields(tx, clock, { username })
      const bot: store.UserRecord = {
        id: ids(),
        username,
        displayName,
        email: null,
        emailVerified: false,
        avatar: null,
        bot: true,
        directMessages: 'members',
        createdAt: clock(),
        administrator: false,
        disabledAt: null,
      }
      await mapUniqueViolations(() => store.insertUser(tx, bot, { emailKey: null, passwordHash: null }))
      return bot
    },

    /**
     * Releases the username. The row remains as the author of the bot's messages. Returns false if there is no such
     * bot.
     */
    async deleteBotUser(tx: Transaction, id: string): Promise<boolean> {
      const name = { username: usernameOfDeleted(id), displayName: 'Deleted bot' }
      const deleted = await store.markBotDeleted(tx, id, { ...name, now: clock() })
      if (deleted) await deleteImage(tx, 'users', id)
      return deleted
    },
  }
}
