import { performance } from 'node:perf_hooks'
import type { TestContext } from 'node:test'
import type { StartOptions } from '@gatehouse/testkit/service'

/** `API_REQUEST_SEED` repeats the requests of another run. */
const firstSeed = Number(process.env.API_REQUEST_SEED ?? 1)

/** `API_REQUEST_MS` is how long each test sends requests. */
const duration = Number(process.env.API_REQUEST_MS ?? 0)

/** Calls `run` once, and then with the next seeds until the time is over. Each call sends the same requests for the same seed. */
export async function eachSeed(t: TestContext, run: (seed: number) => Promise<void>): Promise<void> {
  const end = performance.now() + duration
  let seed = firstSeed
  do await run(seed++)
  while (performance.now() < end)
  if (duration > 0) t.diagnostic(`API_REQUEST_SEED=${firstSeed} to ${seed - 1}`)
}

/** Counts the responses of a service by their statuses. */
interface StatusCounts {
  onExchange: NonNullable<StartOptions['onExchange']>
  of(status: number): number
  report(t: TestContext): void
}

export function countStatuses(): StatusCounts {
  const counts = new Map<number, number>()
  return {
    onExchange(_operationId, { response: { status } }) {
      counts.set(status, (counts.get(status) ?? 0) + 1)
    },
    of: status => counts.get(status) ?? 0,
    report(t) {
      const shown = [...counts].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
      if (duration > 0) t.diagnostic(`responses ${shown.join(', ')}`)
    },
  }
}
