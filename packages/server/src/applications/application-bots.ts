import type {
  CreateBotBody,
  OwnApplication,
  UpdateOwnApplicationBody,
} from '@gatehouse/protocol/applications'
import { encodeBotId, splitDiscordToken } from '@gatehouse/protocol/bot-token'
import { maxDisplayName } from '@gatehouse/protocol/limits'
import { cleanName, cutText } from '@gatehouse/protocol/text'
import type { User } from '@gatehouse/protocol/users'
import { findUser, userView } from '../accounts/users/index.ts'
import { AppError, notFound } from '../errors/app-error.ts'
import type { BotCaller } from '../http/caller.ts'
import { encodeImage, imageHash, readImageUri } from '../images/index.ts'
import { createSecret, hashSecret, isWellFormedSecret, secretPrefixes } from '../kit/secret.ts'
import type { Transaction } from '../storage/database.ts'
import type { Deps } from './application-deps.ts'
import * as store from './application-store.ts'
import { lockOwnApplication, toIconPath } from './applications.ts'

export type Bots = ReturnType<typeof createBots>

export function createBots({ db, clock, events, users, securityLog, rateLimiter, requireVerified }: Deps) {
  const selfDescriptions = rateLimiter.window('selfDescriptions')

  return {
    /** Throws 409 if the application has a bot, or the username is taken. */
    async create(
      ownerId: string,
      applicationId: string,
      body: CreateBotBody,
    ): Promise<{ bot: User; token: string }> {
      const token = createSecret(secretPrefixes.botToken)
      const bot = await db.transaction(async tx => {
        const application = await lockOwnApplication(tx, ownerId, applicationId)
        await requireVerified(tx, ownerId)
        if (application.botUserId !== null) {
          throw new AppError('conflict', 'The application already has a bot.')
        }
        const username = body.username ?? defaultUsername(application)
        const displayName = toDisplayName(application.name) || username
        const user = await users.createBotUser(tx, { id: applicationId, username, displayName })
        await store.setBot(tx, applicationId, user.id, hashSecret(token))
        return userView(user)
      })
      return { bot, token }
    },

    /**
     * A bot changes its display name and avatar, and the description of its application; never its username, nor name
     * or icon of the application (bots/self-description). The route has counted the
     * request; one that changes nothing does not count. Throws as `encodeImage` and `saveImage`.
     */
    async describeSelf(
      { userId, applicationId }: BotCaller,
      { description, displayName, avatar: uri }: UpdateOwnApplicationBody,
    ): Promise<OwnApplication> {
      const avatar =
        typeof uri === 'string' ? await encodeImage(clock, userId, readImageUri(uri), 'avatar') : uri
      return db.transaction(async tx => {
        const application = await store.lockApplication(tx, applicationId)
        const before = await findUser(tx, userId)
        if (application === undefined || before === undefined) throw notFound()
        const { ownerId, name } = application
        const isNewDescription = description !== undefined && description !== application.description
        const isNewName = displayName !== undefined && displayName !== before.displayName
        const isNewAvatar = avatar !== undefined && (avatar && imageHash(avatar)) !== before.avatar
        const toOwn = (bot: typeof before): OwnApplication => ({
          id: applicationId,
          name,
          icon: toIconPath(applicationId, application.iconHash),
          description: description ?? application.description,
          bot: userView(bot),
        })
        if (!isNewDescription && !isNewName && !isNewAvatar) {
          await selfDescriptions.undo(userId)
          return toOwn(before)
        }
        if (isNewDescription) await store.setDescription(tx, applicationId, description)
        const changes = { displayName, avatar: isNewAvatar ? avatar : undefined, uploaderId: ownerId }
        const bot = await users.updateBotUser(tx, userId, changes)
        await securityLog.record(tx, { userId: ownerId, kind: 'BOT_UPDATE', applicationId, targetName: name })
        if (isNewDescription) tx.afterCommit(() => users.mailAboutApplication(ownerId, 'described', name))
        return toOwn(bot)
      })
    },

    /** Revokes the old token and closes its connections (bots/bot-token, bots/bot-removed). */
    async resetToken(ownerId: string, applicationId: string): Promise<string> {
      const token = createSecret(secretPrefixes.botToken)
      await db.transaction(async tx => {
        await lockOwnApplication(tx, ownerId, applicationId)
        await requireVerified(tx, ownerId)
        if (!(await store.setBotToken(tx, applicationId, hashSecret(token)))) throw notFound()
        tx.afterCommit(() => events.closeGatewayConnections(applicationId, { reason: 'token_reset' }))
      })
      return token
    },

    /** Of a disabled owner. The tokens remain. */
    async closeConnections(tx: Transaction, ownerId: string): Promise<void> {
      const applications = await store.listApplications(tx, ownerId)
      tx.afterCommit(() => {
        for (const { id } of applications) events.closeGatewayConnections(id, { reason: 'disabled' })
      })
    },

    /** Of these applications, those that exist and whose owner is not disabled. */
    async listValidIds(ids: readonly string[]): Promise<ReadonlySet<string>> {
      return new Set(await store.listValidIds(db, ids))
    },

    /**
     * Undefined for a malformed or unknown token, for one in Discord's form with another id than that of the bot or its
     * application (bots/discord-token), and while the owner is disabled.
     */
    async authenticate(text: string): Promise<store.BotRecord | undefined> {
      const { encodedId, token } = splitDiscordToken(text) ?? { encodedId: undefined, token: text }
      if (!isWellFormedSecret(secretPrefixes.botToken, token)) return undefined
      const bot = await store.findBotByToken(db, hashSecret(token))
      if (bot === undefined || encodedId === undefined) return bot
      return [bot.userId, bot.applicationId].some(id => encodeBotId(id) === encodedId) ? bot : undefined
    },
  }
}

/** The letters and digits of the name and the end of the id, so that it is probably unique. */
function defaultUsername({ id, name }: store.ApplicationRecord): string {
  const letters = name
    .toLowerCase()
    .replace(/[^a-z0-9_]/g, '')
    .slice(0, 20)
  return `${letters === '' ? 'bot' : letters}_${id.slice(-8)}`
}

function toDisplayName(name: string): string {
  return cleanName(cutText(name, maxDisplayName))
}
