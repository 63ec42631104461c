/**
 * Returns a function that runs work at the end of this turn of the event loop, all of it together and in order. The
 * requests of one turn start so: their bodies have arrived by then, and the parser of HTTP does not run between their
 * steps. A code exchange takes 20 to 30 % less processor time (docs/performance.md).
 */
export function createTurnBatcher(): (work: () => void) => void {
  let pending: (() => void)[] = []

  function run(): void {
    const batch = pending
    pending = []
    for (const work of batch) work()
  }

  return work => {
    if (pending.push(work) === 1) setImmediate(run)
  }
}
