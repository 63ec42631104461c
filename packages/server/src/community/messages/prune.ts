import { setTimeout as wait } from 'node:timers/promises'
import { lowestId } from '../../kit/snowflake.ts'
import type { Database, Sql } from '../../storage/database.ts'
import * as store from './message-store.ts'

/** Rows per statement: a request waits for one statement at most. */
const defaultBatchSize = 200

/** The number of messages that were created before the time. */
export function countMessagesBefore(sql: Sql, time: number): Promise<number> {
  return store.countMessagesBelow(sql, lowestId(time))
}

/**
 * Deletes the messages that were created before the time, the oldest first, and returns their number. Publishes no
 * events: clients that show such a message keep it until they load the channel again. May run beside the service: after
 * each batch it waits three times as long as the batch took, so that other writers have most of the time.
 */
export async function deleteMessagesBefore(
  db: Database,
  time: number,
  onProgress: (deleted: number) => void,
  batchSize = defaultBatchSize,
): Promise<number> {
  const below = lowestId(time)
  let after = ''
  let deleted = 0
  for (;;) {
    const start = performance.now()
    const ids = await store.deleteMessagesBetween(db, { after, below, limit: batchSize })
    for (const id of ids) if (id > after) after = id
    deleted += ids.length
    onProgress(deleted)
    if (ids.length < batchSize) return deleted
    await wait(3 * (performance.now() - start))
  }
}
