import type { CreateBotBody } from '@gatehouse/protocol/applications'
import type { User } from '@gatehouse/protocol/users'
import { AppError, notFound } from '../kit/app-error.ts'
import { hashSecret, isWellFormedSecret, makeSecret, secretPrefixes } from '../kit/secret.ts'
import type { Events } from '../platform/events.ts'
import type { Database, Transaction } from '../storage/database.ts'
import { lockOwnApplication, ownApplication } from './application.ts'
import * as store from './store.ts'

interface BotDeps {
  db: Database
  events: Events
  /** Throws 409 `conflict` where the username is taken. */
  createBotUser: (tx: Transaction, bot: { username: string; displayName: string }) => Promise<User>
}

export interface BotRules {
  /** The bot and its token, shown this once; 409 where the application has one, or the username is taken. */
  create(ownerId: string, applicationId: string, body: CreateBotBody): Promise<{ bot: User; token: string }>
  /** A new token; the old one and its connections end at once (D25, D53). */
  resetToken(ownerId: string, applicationId: string): Promise<string>
  /** Whose token it is; undefined where it is malformed or nobody's. */
  authenticate(token: string): Promise<{ applicationId: string; userId: string } | undefined>
}

export function createBotRules({ db, events, createBotUser }: BotDeps): BotRules {
  return {
    async create(ownerId, applicationId, body) {
      const token = makeSecret(secretPrefixes.botToken)
      const bot = await db.transaction(async tx => {
        const application = await lockOwnApplication(tx, ownerId, applicationId)
        if (application.botUserId !== null)
          throw new AppError('conflict', 'The application has a bot already.')
        const username = body.username ?? defaultUsername(application)
        const user = await createBotUser(tx, { username, displayName: displayName(application.name) })
        await store.setBot(tx, applicationId, user.id, hashSecret(token))
        return user
      })
      return { bot, token }
    },

    async resetToken(ownerId, applicationId) {
      const token = makeSecret(secretPrefixes.botToken)
      await db.transaction(async tx => {
        await ownApplication(tx, ownerId, applicationId)
        if (!(await store.setBotToken(tx, applicationId, hashSecret(token)))) throw notFound()
        tx.afterCommit(() => events.ended(applicationId, { reason: 'token_reset' }))
      })
      return token
    },

    async authenticate(token) {
      if (!isWellFormedSecret(secretPrefixes.botToken, token)) return undefined
      return store.findBotByToken(db, hashSecret(token))
    },
  }
}

/** A username that is hardly taken: the letters of the name, and the end of the id behind them. */
function defaultUsername(application: store.ApplicationRecord): string {
  const letters = application.name
    .toLowerCase()
    .replace(/[^a-z0-9_]/g, '')
    .slice(0, 20)
  return `${letters === '' ? 'bot' : letters}_${application.id.slice(-8)}`
}

function displayName(name: string): string {
  return [...name].slice(0, 32).join('').trim()
}
