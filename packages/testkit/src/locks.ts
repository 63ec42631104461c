import type { Transaction } from '../../server/src/storage/database.ts'
import type { TestResponse, TestService } from './service.ts'
import { waitUntil } from './wait-until.ts'

/**
 * Sends two requests while another transaction has the locks that `lock` takes: the second one when the first waits for
 * a lock. Releases the locks when each request waits or is complete. SQLite has no such locks, because it runs
 * transactions one after the other: there, sends both at once.
 */
export async function sendWhileLocked(
  { db }: Pick<TestService, 'db'>,
  lock: (tx: Transaction) => Promise<unknown>,
  first: () => Promise<TestResponse>,
  second: () => Promise<TestResponse>,
): Promise<[TestResponse, TestResponse]> {
  if (db.engine === 'sqlite') return Promise.all([first(), second()])
  const replies = await db.transaction(async tx => {
    await lock(tx)
    let complete = 0
    const send = async (request: () => Promise<TestResponse>, sent: number) => {
      const reply = request().finally(() => complete++)
      await waitUntil(async () => complete + (await countWaiting(db)) === sent)
      return { reply }
    }
    return [await send(first, 1), await send(second, 2)] as const
  })
  return Promise.all([replies[0].reply, replies[1].reply])
}

async function countWaiting(db: TestService['db']): Promise<number> {
  const row = await db.get<{ n: number }>`
    SELECT COUNT(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  return row?.n ?? 0
}
