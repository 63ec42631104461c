import assert from 'node:assert/strict'
import type { TestService } from './service.ts'

/**
 * Asserts how often `operation` waits for PostgreSQL if it runs alone: the round trips that the service counts in
 * `/metrics`. Runs it also on SQLite, which has none. A sweep or the first statement of a connection may add to the
 * count, so the fewest of several attempts counts.
 */
export async function assertRoundTrips(
  { db }: Pick<TestService, 'db'>,
  expected: number,
  operation: () => Promise<unknown>,
): Promise<void> {
  const counts: number[] = []
  for (let attempt = 0; attempt < 5; attempt++) {
    const before = db.traffic?.roundTrips ?? 0
    await operation()
    counts.push((db.traffic?.roundTrips ?? 0) - before)
  }
  assert.equal(Math.min(...counts), db.traffic === undefined ? 0 : expected, `round trips: ${counts}`)
}
