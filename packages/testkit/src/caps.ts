import assert from 'node:assert/strict'
import { PostgresClient } from './postgres-client.ts'
import type { TestResponse, TestService } from './service.ts'
import { waitUntil } from './wait-until.ts'

/** The table that the requests insert into. */
type Table =
  | 'servers'
  | 'members'
  | 'channels'
  | 'roles'
  | 'overwrites'
  | 'invites'
  | 'applications'
  | 'images'
  | 'former_usernames'

/**
 * Sends five requests at once. Exactly one is successful; the others, and one more afterwards, are 409 `limit_reached`.
 * Call it when one more than now is allowed.
 */
export async function assertOneLeft(
  service: TestService,
  table: Table,
  send: (n: number) => Promise<TestResponse>,
  expected: { limit: string; message: string },
): Promise<void> {
  const sendAll = () => Promise.all([0, 1, 2, 3, 4].map(n => send(n)))
  const replies = await (service.db.engine === 'postgres'
    ? insertTogether(service, table, sendAll)
    : sendAll())
  const refused = replies.filter(reply => reply.status >= 300)
  assert.equal(refused.length, 4, replies.map(reply => reply.text).join('\n'))
  for (const reply of [...refused, await send(5)]) assertLimitReached(reply, expected)
}

/** No request inserts its row before all five wait: for the table, or for another of the five. */
async function insertTogether<T>(
  { config }: TestService,
  table: Table,
  sendAll: () => Promise<T>,
): Promise<T> {
  const client = new PostgresClient(config.databaseUrl)
  try {
    await client.query('BEGIN')
    await client.query(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`)
    const replies = sendAll()
    await waitUntil(async () => {
      // Otherwise the view is that of the first read in the transaction.
      await client.query('SELECT pg_stat_clear_snapshot()')
      const waiting = await client.query(`
        SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
      return waiting.length === 5
    })
    await client.query('COMMIT')
    return await replies
  } finally {
    await client.close()
  }
}

export function assertLimitReached(reply: TestResponse, expected: { limit: string; message: string }): void {
  assert.equal(reply.status, 409, reply.text)
  assert.deepEqual(reply.body, { code: 'limit_reached', ...expected })
}

/** `count` ids of 19 digits that sort from 1. They are older than any id of the service. */
export function oldIds(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `1000000000${String(n + 1).padStart(9, '0')}`)
}
