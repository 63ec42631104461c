import { deleteImage, type EncodedImage, saveImage } from '../../images/index.ts'
import type { Transaction } from '../../storage/database.ts'
import type { AccountDeps } from './account-deps.ts'
import {
  mapUniqueViolations,
  rejectReservedUsername,
  rejectTakenFields,
  usernameOfDeleted,
} from './unique-fields.ts'
import { publishUserUpdate, requireUser } from './user.ts'
import * as store from './user-store.ts'

export function createBotUsers(deps: Pick<AccountDeps, 'clock' | 'events' | 'domainEvents'>) {
  const { clock } = deps
  return {
    /**
     * `id` is that of the application: libraries for Discord's API take one for the other (discord/application-ids).
     * Throws `conflict` if the username is taken.
     */
    async createBotUser(
      tx: Transaction,
      { id, username, displayName }: { id: string; username: string; displayName: string },
    ): Promise<store.UserRecord> {
      rejectReservedUsername(username)
      await rejectTakenFields(tx, clock, { username })
      const bot: store.UserRecord = {
        id,
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
     * Members see the change as that of a person. `avatar` null deletes the image. Throws as `saveImage`: the image
     * counts as one of the uploader.
     */
    async updateBotUser(
      tx: Transaction,
      id: string,
      {
        displayName,
        avatar,
        uploaderId,
      }: { displayName: string | undefined; avatar: EncodedImage | null | undefined; uploaderId: string },
    ): Promise<store.UserRecord> {
      const hash = avatar && (await saveImage(tx, { kind: 'users', ownerId: id, uploaderId, image: avatar }))
      // After the lock of the uploader, as in the other transactions that store an image.
      await store.lockUserRow(tx, id)
      const before = await requireUser(tx, id)
      if (displayName !== undefined) await store.setDisplayName(tx, id, displayName)
      if (hash !== undefined) await store.setAvatar(tx, id, hash)
      if (avatar === null) await deleteImage(tx, 'users', id)
      const after = await requireUser(tx, id)
      await publishUserUpdate(tx, deps, before, after)
      return after
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
