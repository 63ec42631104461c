import type { Clock } from './clock.ts'

/**
 * The service's time, as far as it can be told from here: deadlines are written in it, and this machine's clock may be
 * wrong. The local clock is believed until an answer or an event proves that it cannot be right.
 */
export interface ServerClock {
  now: Clock
  /** An answer came: its `Date` header was written between the two local times. */
  sawAnswer(date: string | null, sentAt: number, receivedAt: number): void
  /** An event that was made at `createdAt` (ISO 8601) is here. */
  sawEvent(createdAt: string): void
}

// The service keeps an event for two minutes for a client that resumes; half a minute for the way.
const replayedMs = 150_000

export function createServerClock(clock: Clock): ServerClock {
  // How far the local clock is ahead of the service's: somewhere between these two.
  let least = Number.NEGATIVE_INFINITY
  let most = Number.POSITIVE_INFINITY

  /** Two statements that cannot both be true: a clock was set in between, and only the later one is worth anything. */
  function narrow(low: number, high: number, otherwise = { low, high }) {
    const isContrary = low > most || high < least
    least = isContrary ? otherwise.low : Math.max(least, low)
    most = isContrary ? otherwise.high : Math.min(most, high)
  }

  return {
    now: () => clock() - Math.min(Math.max(0, least), most),
    sawAnswer(date, sentAt, receivedAt) {
      const written = Date.parse(date ?? '')
      // RFC 9110 §5.6.7: whole seconds, so the service's time was up to a second later.
      if (!Number.isNaN(written)) narrow(sentAt - written - 999, receivedAt - written)
    },
    sawEvent(createdAt) {
      const created = Date.parse(createdAt)
      const age = clock() - created
      // Where the clocks agree on nothing, an event is more likely fresh than replayed.
      if (!Number.isNaN(created)) narrow(age - replayedMs, age, { low: age, high: age })
    },
  }
}
