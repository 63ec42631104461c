/** The service's time, as its answers tell it: the clock of the machine may be wrong. */
export interface ServiceClock {
  /** Milliseconds since 1970, to about a second. */
  now(): number
  /** The `date` of an answer that has just come. */
  learn(date: string | null): void
}

/** `own`: the clock of the machine, in milliseconds since 1970. */
export function createServiceClock(own: () => number): ServiceClock {
  let ahead = 0
  return {
    now: () => own() + ahead,
    learn(date) {
      const said = Date.parse(date ?? '')
      // The header has whole seconds: half of one is what is missing on average.
      if (!Number.isNaN(said)) ahead = said + 500 - own()
    },
  }
}
