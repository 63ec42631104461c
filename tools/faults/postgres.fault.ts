import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { assertWorks, makeCommunity } from './community.ts'
import { assertKept, type Watched, watchDoors, wordsFor } from './doors.ts'
import type { Fault } from './fault.ts'
import { startOwnPostgres } from './servers.ts'

/** Kills PostgreSQL with SIGKILL and restarts it, several times. */
export const postgresFault: Fault = {
  name: 'postgres',
  holds: 'database restart: 503 with Retry-After, no partial writes, recovery without a restart',
  limitMs: 240_000,
  async run(trial) {
    const server = (await startOwnPostgres()) ?? trial.cannot('PostgreSQL is not installed')
    trial.after(() => server.remove())
    const service = await trial.start({ env: { DATABASE_URL: server.url } })
    const community = await makeCommunity(trial, service)
    const rounds: Watched[] = []
    for (let round = 0; round < (trial.short ? 2 : 5); round++) {
      const watched = await watchDoors(
        community,
        (async () => {
          await wait(700)
          await server.kill()
          await wait(2000)
          assert.equal((await community.send('/readyz')).status, 503)
          await server.start()
        })(),
      )
      assert.ok((watched.statuses.get(503) ?? 0) > 0, 'no request returned 503')
      rounds.push(watched)
      await untilReady(service.url)
      await assertWorks(community)
      await assertKept(community, rounds)
    }
    return `${rounds.length} restarts: ${rounds.map(wordsFor).join('; ')}`
  },
}

/** Waits until `/readyz` succeeds. Throws after `withinMs`. */
export async function untilReady(url: string, withinMs = 10_000): Promise<void> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const response = await fetch(`${url}/readyz`)
    await response.arrayBuffer()
    if (response.ok) return
    assert.ok(performance.now() < deadline, `not ready after ${withinMs} ms`)
    await wait(100)
  }
}
