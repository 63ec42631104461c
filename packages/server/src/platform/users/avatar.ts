import type { Transaction } from '../../storage/database.ts'
import { checkImage, deleteImage, saveImage } from '../images/index.ts'
import type { AccountDeps } from './account-deps.ts'
import * as store from './store.ts'
import { accountNotFound, publishUserUpdate, type UserRecord } from './user.ts'

export function createAvatars(deps: Pick<AccountDeps, 'db' | 'events' | 'domainEvents'>) {
  const { db } = deps

  async function updateAvatar(tx: Transaction, userId: string, hash: string | null): Promise<UserRecord> {
    const before = await store.findUser(tx, userId)
    if (!before) throw accountNotFound()
    await store.setAvatar(tx, userId, hash)
    const after = { ...before, avatar: hash }
    await publishUserUpdate(tx, deps, before, after)
    return after
  }

  /** Throws like `checkImage` of images/. */
  async function setAvatar(userId: string, bytes: Uint8Array): Promise<UserRecord> {
    checkImage(bytes)
    return db.transaction(async tx => {
      const hash = await saveImage(tx, { kind: 'users', ownerId: userId, bytes })
      return updateAvatar(tx, userId, hash)
    })
  }

  function removeAvatar(userId: string): Promise<UserRecord> {
    return db.transaction(async tx => {
      await deleteImage(tx, 'users', userId)
      return updateAvatar(tx, userId, null)
    })
  }

  return { setAvatar, removeAvatar }
}
