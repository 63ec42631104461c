import { createBackgroundTasks } from '../../kit/background.ts'
import type { OnClose } from '../../kit/clock.ts'
import type { Transaction } from '../../storage/database.ts'
import type { Deps } from '../community-deps.ts'
import * as store from './message-deletion-store.ts'
import type { MessageRepository } from './message-repository.ts'

/** Longer than a deletion usually takes: two nodes that delete the same messages only do the work twice. */
const claimMs = 10 * 60_000

export type MessageDeletions = ReturnType<typeof createMessageDeletions>

/** Deletes messages of users in batches after their bans, also if a node stops meanwhile (community/bulk-bans). */
export function createMessageDeletions({
  db,
  clock,
  ids,
  repository,
  onClose,
  onError,
}: Pick<Deps, 'db' | 'clock' | 'ids'> & {
  repository: Pick<MessageRepository, 'deleteMessagesOf'>
  onClose: OnClose
  onError: (error: unknown) => void
}) {
  const background = createBackgroundTasks(onError)
  let isClosing = false
  onClose(() => {
    isClosing = true
    return background.idle()
  })

  async function complete(deletion: store.MessageDeletion): Promise<void> {
    if (await repository.deleteMessagesOf({ ...deletion, isStopped: () => isClosing })) {
      await store.deleteDeletion(db, deletion.id)
    } else {
      await store.releaseDeletion(db, deletion.id, clock())
    }
  }

  return {
    /** Starts after the commit. */
    async add(tx: Transaction, given: Omit<store.MessageDeletion, 'id'>): Promise<void> {
      const deletion = { id: ids(), ...given }
      await store.insertDeletion(tx, deletion, clock() + claimMs)
      tx.afterCommit(() => background.run(() => complete(deletion)))
    },

    /** Continues those of nodes that stopped. It does not wait for them, because other sweeps follow. */
    async sweep(): Promise<void> {
      background.run(async () => {
        while (!isClosing) {
          const now = clock()
          const deletion = await store.claimDeletion(db, { now, dueAt: now + claimMs })
          if (deletion === undefined) return
          await complete(deletion)
        }
      })
    },
  }
}
