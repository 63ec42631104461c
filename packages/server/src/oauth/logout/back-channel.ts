import { backchannelLogoutMs } from '@gatehouse/protocol/limits'
import type { Timer, Timers } from '../../kit/clock.ts'
import { type Outgoing, OutgoingError } from '../../outgoing/index.ts'
import type { Party } from './parties.ts'

/** An application that was not told, for the log. */
export interface Untold {
  applicationId: string
  reason: string
}

export interface BackChannel {
  /** Returns at once. What could not be delivered is tried again, as long as this process lives. */
  tell(parties: readonly Party[]): void
  /** Gives up what waits, and waits for what is under way. */
  close(): Promise<void>
}

interface BackChannelDeps {
  timers: Timers
  outgoing: Pick<Outgoing, 'post'>
  sign: (party: Party) => Promise<string>
  note: (untold: Untold) => void
  report: (error: unknown) => void
}

/** After which times it is tried again. */
const delaysMs = [5000, 30_000, 300_000]
/** Of one process: what comes on top is not told. */
const maxWaiting = 1000

/** Back-Channel Logout §2.5: a POST to each application, on its own. */
export function createBackChannel({ timers, outgoing, sign, note, report }: BackChannelDeps): BackChannel {
  const underWay = new Set<Promise<void>>()
  const waiting = new Set<Timer>()
  let closed = false

  function attempt(party: Party, tries: number): void {
    if (closed) return
    const turn = deliver(party)
      .then(failure => {
        if (failure !== undefined) settle(party, tries, failure)
      })
      // What is wrong on our side is no reason to hold back the others.
      .catch(report)
      .finally(() => underWay.delete(turn))
    underWay.add(turn)
  }

  function settle(party: Party, tries: number, { reason, final }: Failure): void {
    if (closed) return
    const delay = delaysMs[tries]
    if (final || delay === undefined || waiting.size >= maxWaiting) {
      note({ applicationId: party.applicationId, reason })
      return
    }
    const timer = timers.after(delay, () => {
      waiting.delete(timer)
      attempt(party, tries + 1)
    })
    waiting.add(timer)
  }

  /** Undefined where the application was told. Each try has a token of its own, since a token is soon over. */
  async function deliver(party: Party): Promise<Failure | undefined> {
    const token = await sign(party)
    try {
      const { status } = await outgoing.post(new URL(party.uri), {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ logout_token: token }).toString(),
        timeoutMs: backchannelLogoutMs,
      })
      if (status >= 200 && status < 300) return undefined
      return { reason: `it answered with the status ${status}`, final: !isPassing(status) }
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error
      return {
        reason: error.message,
        final: error.reason === 'refused_address' || error.reason === 'redirect',
      }
    }
  }

  return {
    tell(parties) {
      for (const party of parties) attempt(party, 0)
    },
    async close() {
      closed = true
      for (const timer of waiting) timer.cancel()
      waiting.clear()
      await Promise.all(underWay)
    },
  }
}

interface Failure {
  reason: string
  /** The same would come of another try. */
  final: boolean
}

/** §2.8: 400 is the answer of an application that does not take the token; it will not take the next one. */
function isPassing(status: number): boolean {
  return status >= 500 || status === 408 || status === 429
}
