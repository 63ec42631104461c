import type { Timer } from '../kit/clock.ts'
import { deadlinesOf } from './deadline.ts'
import type { Deps } from './interaction-deps.ts'

const intervalMs = 250
/** For clocks that differ: the deadlines are those of the clock of the node that ended. */
const marginMs = 2000

/**
 * Runs `sweepOverdue` repeatedly after the end of another node and at the start of this one. The timers of a node end
 * with it, so its interactions time out here, within a second of each deadline (bots/interaction-node-loss).
 * `sweepInteractions` does the same once a minute. `sweepOverdue` may run on several nodes at the same time.
 */
export function createOverdueScheduler(
  { clock, timers, onError }: Pick<Deps, 'clock' | 'timers' | 'onError'>,
  sweepOverdue: () => Promise<unknown>,
) {
  let endsAt = 0
  let timer: Timer | undefined
  let running: Promise<void> | undefined
  let isClosed = false

  function run(): void {
    timer = undefined
    running = sweepOverdue()
      .then(() => undefined, onError)
      .finally(() => {
        running = undefined
        if (!isClosed && clock() < endsAt) timer = timers.after(intervalMs, run)
      })
  }

  return {
    /** Sweeps now, and until no interaction of the ended node can be pending. */
    start(): void {
      endsAt = deadlinesOf(clock()).deadlineAt + marginMs
      if (timer === undefined && running === undefined && !isClosed) run()
    },
    async close(): Promise<void> {
      isClosed = true
      timer?.cancel()
      await running
    },
  }
}
