import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import type { Fault } from './fault.ts'
import { assertNoneLost, assertWorks, createTarget } from './target.ts'
import { assertUnavailable, describe, runWorkload } from './workload.ts'

/** Another connection locks the SQLite database for longer than the busy timeout of the service. */
export const lockedFault: Fault = {
  name: 'locked',
  invariant: 'database locked: 503 with Retry-After, reads succeed, recovery without a restart',
  engines: ['SQLite'],
  timeoutMs: 120_000,
  async run(context) {
    const service = await context.startService()
    const target = await createTarget(context, service)
    const other = new DatabaseSync(join(service.folder, 'gatehouse.db'))
    other.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE')
    const result = await runWorkload(target, wait(8000))
    assertUnavailable(result)
    other.exec('ROLLBACK')
    other.close()
    await assertWorks(target)
    await assertNoneLost(target, result.contents)
    return describe(result)
  },
}
