import { notFound } from '../../errors/app-error.ts'
import type { Deps } from '../community-deps.ts'
import { requireChannel } from '../permissions/index.ts'
import * as store from './read-state-store.ts'

export type ReadStates = ReturnType<typeof createReadStates>

export function createReadStates({ db, clock, events }: Pick<Deps, 'db' | 'clock' | 'events'>) {
  return {
    /**
     * Marks the channel as read up to the message, and publishes CHANNEL_READ to the user. Does nothing if a newer
     * message is already marked. 404 for a channel that the user cannot view and for a message that is not in it.
     */
    async markRead(userId: string, channelId: string, messageId: string): Promise<void> {
      await requireChannel(db, clock(), userId, channelId)
      if (!(await store.messageExists(db, channelId, messageId))) throw notFound()
      await db.transaction(async tx => {
        if (!(await store.advanceReadMark(tx, userId, channelId, messageId))) return
        tx.afterCommit(() => events.toUser(userId, { t: 'CHANNEL_READ', d: { channelId, messageId } }))
      })
    },
  }
}
