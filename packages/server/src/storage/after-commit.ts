/**
 * Runs what waited for the commit, in order. The work is durable by now, so a hook that throws against its contract
 * can neither undo it nor keep the others from running: it becomes a warning of the process.
 */
export function runAfterCommit(hooks: readonly (() => void)[]): void {
  for (const hook of hooks) {
    try {
      hook()
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : new Error('afterCommit threw', { cause: error }))
    }
  }
}
