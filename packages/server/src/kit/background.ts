export type BackgroundTasks = ReturnType<typeof createBackgroundTasks>

/** Work that continues after the response was sent. */
export function createBackgroundTasks(onError: (error: unknown) => void) {
  const running = new Set<Promise<void>>()
  return {
    run(work: () => Promise<void>): void {
      const finished = work()
        .catch(onError)
        .finally(() => running.delete(finished))
      running.add(finished)
    },
    /** Resolves when all work is finished, including work that starts in the meantime. */
    async idle(): Promise<void> {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
