/**
 * Runs what it is given at the end of this round of the event loop, all in one go and in order. What goes out to several
 * readers goes out so: each write on its own would wake its reader, who has then nothing to do until the next; under
 * load that costs more than all else that an answer takes.
 */
export function createEndOfRound(): (work: () => void) => void {
  let waiting: (() => void)[] = []

  function run(): void {
    const ready = waiting
    waiting = []
    for (const work of ready) work()
  }

  return work => {
    if (waiting.push(work) === 1) setImmediate(run)
  }
}
