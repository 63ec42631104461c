/** Work that an answer does not wait for: a mail under way must not show in how long an answer takes. */
export interface Background {
  run(work: () => Promise<void>): void
  /** Resolves when all that was begun has ended. */
  idle(): Promise<void>
}

/** `report` is told of work that failed. */
export function createBackground(report: (error: unknown) => void): Background {
  const underWay = new Set<Promise<void>>()
  return {
    run(work) {
      const ended = work()
        .catch(report)
        .finally(() => underWay.delete(ended))
      underWay.add(ended)
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
