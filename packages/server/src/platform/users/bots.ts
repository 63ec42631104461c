import type { Clock } from '../../kit/clock.ts'
import type { Transaction } from '../../storage/database.ts'
import { dropImage } from '../images/index.ts'
import * as store from './store.ts'
import { nameOfDeleted, orTaken, refuseReserved } from './taken.ts'
import type { UserRecord } from './user.ts'

export interface BotUsers {
  /** The account of a bot. Throws `conflict` where the username is taken. */
  createBotUser(tx: Transaction, bot: { username: string; displayName: string }): Promise<UserRecord>
  /** The username becomes free; the row stays, so that the bot's messages keep an author. False where there is none. */
  deleteBotUser(tx: Transaction, id: string): Promise<boolean>
}

export function createBotUsers({ clock, ids }: { clock: Clock; ids: () => string }): BotUsers {
  return {
    async createBotUser(tx, { username, displayName }) {
      refuseReserved(username)
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
      await orTaken(() => store.insertUser(tx, bot, { emailKey: null, passwordHash: null }))
      return bot
    },
    async deleteBotUser(tx, id) {
      const name = { username: nameOfDeleted(id), displayName: 'Deleted bot' }
      const deleted = await store.eraseBot(tx, id, { ...name, now: clock() })
      if (deleted) await dropImage(tx, 'users', id)
      return deleted
    },
  }
}
