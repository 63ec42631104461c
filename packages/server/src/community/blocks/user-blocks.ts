import { maxBlocks } from '@gatehouse/protocol/limits'
import type { Block } from '@gatehouse/protocol/users'
import { findUser, findUsers, lockUserRow, userView } from '../../accounts/users/index.ts'
import { invalid, notFound } from '../../errors/app-error.ts'
import { limitReached } from '../../i18n/localized-error.ts'
import type { Transaction } from '../../storage/database.ts'
import type { Deps } from '../community-deps.ts'
import * as store from './block-store.ts'

export type Blocks = ReturnType<typeof createBlocks>

/** The users and bots that a user blocks, who receive nothing that tells them so (community/blocks). */
export function createBlocks({ db, clock, events }: Pick<Deps, 'db' | 'clock' | 'events'>) {
  function publish(tx: Transaction, userId: string, d: { userId: string; blocked: boolean }): void {
    tx.afterCommit(() => events.toUser(userId, { t: 'BLOCK_UPDATE', d }))
  }

  return {
    /** Newest first. */
    async listBlocks(userId: string): Promise<Block[]> {
      const rows = await store.listBlocks(db, userId)
      const users = await findUsers(
        db,
        rows.map(({ blockedId }) => blockedId),
      )
      return rows.flatMap(({ blockedId, createdAt }) => {
        const user = users.get(blockedId)
        return user ? [{ user: userView(user), createdAt: new Date(createdAt).toISOString() }] : []
      })
    },

    /** 400 for the own id, 404 if there is no such user or bot, 409 at the limit. */
    createBlock(userId: string, blockedId: string): Promise<void> {
      return db.transaction(async tx => {
        if (userId === blockedId) throw invalid('userId', 'invalid_choice', 'must not be your own id')
        if ((await findUser(tx, blockedId)) === undefined) throw notFound()
        // Two requests at the same time do not exceed the limit.
        await lockUserRow(tx, userId)
        if (!(await store.insertBlock(tx, { userId, blockedId, now: clock() }))) return
        if ((await store.countBlocks(tx, userId)) > maxBlocks) throw limitReached('blocks')
        publish(tx, userId, { userId: blockedId, blocked: true })
      })
    },

    async deleteBlock(userId: string, blockedId: string): Promise<void> {
      await db.transaction(async tx => {
        if (!(await store.deleteBlock(tx, userId, blockedId))) return
        publish(tx, userId, { userId: blockedId, blocked: false })
      })
    },
  }
}
