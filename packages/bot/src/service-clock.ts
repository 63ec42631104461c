import type { Clock } from './clock.ts'

/**
 * An estimate of the service's time. Deadlines are in the service's time, and the local clock may be wrong. The local
 * time is used unless a response or an event proves that it is wrong.
 */
export interface ServiceClock {
  now: Clock
  /** Records a response. The service wrote its `Date` header between the two local times. */
  addResponse(date: string | null, sentAt: number, receivedAt: number): void
  /** Records an event that was created at `createdAt` (ISO 8601) and received now. */
  addEvent(createdAt: string): void
}

// On resume, the service replays events of the last two minutes. Half a minute is for the transmission.
const maxReplayMs = 150_000

export function createServiceClock(clock: Clock): ServiceClock {
  // Lower and upper bound of the offset: local time minus the service's time.
  let minOffset = Number.NEGATIVE_INFINITY
  let maxOffset = Number.POSITIVE_INFINITY

  /**
   * Narrows the bounds. Contradictory bounds mean that a clock was set in between. Then the earlier bounds
   * are discarded.
   */
  function narrow(low: number, high: number, fallback = { low, high }) {
    const isContradiction = low > maxOffset || high < minOffset
    minOffset = isContradiction ? fallback.low : Math.max(minOffset, low)
    maxOffset = isContradiction ? fallback.high : Math.min(maxOffset, high)
  }

  return {
    now: () => clock() - Math.min(Math.max(0, minOffset), maxOffset),
    addResponse(date, sentAt, receivedAt) {
      const written = Date.parse(date ?? '')
      // `Date` has whole seconds (RFC 9110 §5.6.7), so the service's time was up to a second later.
      if (!Number.isNaN(written)) narrow(sentAt - written - 999, receivedAt - written)
    },
    addEvent(createdAt) {
      const created = Date.parse(createdAt)
      const age = clock() - created
      // After contradictory bounds, assume a new event rather than a replayed one.
      if (!Number.isNaN(created)) narrow(age - maxReplayMs, age, { low: age, high: age })
    },
  }
}
