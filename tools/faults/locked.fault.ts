import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { assertWorks, makeCommunity } from './community.ts'
import { assertKept, watchDoors, wordsFor } from './doors.ts'
import type { Fault } from './fault.ts'

/** Another connection locks the SQLite database for longer than the busy timeout of the service. */
export const lockedFault: Fault = {
  name: 'locked',
  holds: 'database locked: 503 with Retry-After, reads succeed, recovery without a restart',
  limitMs: 120_000,
  async run(trial) {
    const service = await trial.start()
    const community = await makeCommunity(trial, service)
    const other = new DatabaseSync(join(service.folder, 'gatehouse.db'))
    other.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE')
    const locked = await watchDoors(community, wait(8000))
    assert.ok((locked.statuses.get(503) ?? 0) > 0, 'no request returned 503')
    other.exec('ROLLBACK')
    other.close()
    await assertWorks(community)
    await assertKept(community, [locked])
    return wordsFor(locked)
  },
}
