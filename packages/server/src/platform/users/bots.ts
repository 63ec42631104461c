import type { Clock } from '../../kit/clock.ts'
import type { Transaction } from '../../storage/database.ts'
import { deleteImage } from '../images/index.ts'
import * as store from './store.ts'
import { mapUniqueViolations, rejectReservedUsername, usernameOfDeleted } from './unique-fields.ts'
import type { UserRecord } from './user.ts'

export function createBotUsers({ clock, ids }: { clock: Clock; ids: () => string }) {
  /** Throws `conflict` if the username is taken. */
  async function createBotUser(
    tx: Transaction,
    { username, displayName }: { username: string; displayName: string },
  ): Promise<UserRecord> {
    rejectReservedUsername(username)
    const bot: UserRecord = {
      id: ids(),
      username,
      displayName,
      email: null,
      emailVerified: false,
      avatar: null,
      bot: true,
      createdAt: clock(),
    }
    await mapUniqueViolations(() => store.insertUser(tx, bot, { emailKey: null, passwordHash: null }))
    return bot
  }

  /**
   * Releases the username. The row remains as the author of the bot's messages. Returns false if there is no such bot.
   */
  async function deleteBotUser(tx: Transaction, id: string): Promise<boolean> {
    const name = { username: usernameOfDeleted(id), displayName: 'Deleted bot' }
    const deleted = await store.markBotDeleted(tx, id, { ...name, now: clock() })
    if (deleted) await deleteImage(tx, 'users', id)
    return deleted
  }

  return { createBotUser, deleteBotUser }
}
