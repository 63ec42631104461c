import type { ReadState } from '@gatehouse/protocol/read-state'
import { notFound } from '../../kit/app-error.ts'
import type { Database, Sql } from '../../storage/database.ts'
import type { Events } from '../events.ts'
import { requireChannel } from '../permissions/index.ts'
import * as store from './store.ts'

interface ReadStateDeps {
  db: Database
  events: Pick<Events, 'toUser'>
}

export interface ReadStates {
  /**
   * Read up to this message; a mark that is further stays where it is. CHANNEL_READ to the person's sessions, where it
   * moved. 404 for a channel that the person may not view and for a message that is not in it.
   */
  markRead(userId: string, channelId: string, messageId: string): Promise<void>
}

export function createReadState({ db, events }: ReadStateDeps): ReadStates {
  return {
    async markRead(userId, channelId, messageId) {
      await requireChannel(db, userId, channelId)
      if (!(await store.isMessage(db, channelId, messageId))) throw notFound()
      await db.transaction(async tx => {
        if (!(await store.moveMark(tx, { userId, channelId, messageId }))) return
        tx.afterCommit(() => events.toUser(userId, { t: 'CHANNEL_READ', d: { channelId, messageId } }))
      })
    },
  }
}

/** In one query, whatever was said. `channelIds`: those that the person may view. */
export async function readStatesOf(
  sql: Sql,
  userId: string,
  channelIds: readonly string[],
): Promise<ReadState[]> {
  if (channelIds.length === 0) return []
  return store.listReadStates(sql, userId, channelIds)
}
