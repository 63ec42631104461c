/**
 * The time of the service, because the clock of the machine may be wrong. `localNow` returns milliseconds since the
 * Unix epoch.
 */
export function createServiceClock(localNow: () => number) {
  let offsetMs = 0
  return {
    /** Milliseconds since the Unix epoch, accurate to about a second. */
    now: () => localNow() + offsetMs,
    /** Takes the `Date` header of a response that was just received. */
    update(dateHeader: string | null) {
      const date = Date.parse(dateHeader ?? '')
      // The header is truncated to seconds, so it is half a second early on average.
      if (!Number.isNaN(date)) offsetMs = date + 500 - localNow()
    },
  }
}
