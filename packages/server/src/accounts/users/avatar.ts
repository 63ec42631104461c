import { deleteImage, encodeImage, saveImage } from '../../images/index.ts'
import type { Transaction } from '../../storage/database.ts'
import type { AccountDeps } from './account-deps.ts'
import { publishUserUpdate, requireUser } from './user.ts'
import * as store from './user-store.ts'

export function createAvatars(deps: AccountDeps) {
  /**
   * Replaces the avatar with the image that `change` stores. Its result is the hash, or null if it deleted the image.
   */
  function updateAvatar(
    userId: string,
    change: (tx: Transaction) => Promise<string | null>,
  ): Promise<store.UserRecord> {
    return deps.db.transaction(async tx => {
      const avatar = await change(tx)
      const before = await requireUser(tx, userId)
      await store.setAvatar(tx, userId, avatar)
      const after = { ...before, avatar }
      await publishUserUpdate(tx, deps, before, after)
      return after
    })
  }

  /** Throws as `encodeImage` and `saveImage` of images/. */
  async function setAvatar(userId: string, bytes: Uint8Array): Promise<store.UserRecord> {
    const image = await encodeImage(deps.clock, userId, bytes)
    const owner = { kind: 'users', ownerId: userId, uploaderId: userId } as const
    return updateAvatar(userId, tx => saveImage(tx, { ...owner, image }))
  }

  function removeAvatar(userId: string): Promise<store.UserRecord> {
    return updateAvatar(userId, async tx => {
      // Before the image, which a concurrent upload stores under the same lock.
      await store.lockUserRow(tx, userId)
      await deleteImage(tx, 'users', userId)
      return null
    })
  }

  return { setAvatar, removeAvatar }
}
