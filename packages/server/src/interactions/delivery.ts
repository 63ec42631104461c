import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import type { ApplicationRecord } from '../applications/index.ts'
import type { Bus, Subscription } from '../bus/bus.ts'
import type { Clock, Timer, Timers } from '../kit/clock.ts'
import { subjects } from '../platform/events.ts'
import { reasons } from './interaction.ts'

/** One event on its way to a bot. `deadlineAt` in milliseconds. */
export interface Parcel {
  /** With its token: it goes to the bot and nowhere else. */
  event: InteractionCreate
  application: ApplicationRecord
  deadlineAt: number
}

export type Delivered =
  /** `sessionId`: of the gateway session that has it, where that is known. */
  | { taken: true; sessionId: string | undefined }
  /** `reason`: in words for the person and for the developer's log. `cause`: of what is the service's own fault. */
  | { taken: false; reason: string; cause?: unknown }

/** Hands an event to the bot. Settles once it was handed over; an endpoint may have answered it by then. Does not reject. */
export type Deliver = (parcel: Parcel) => Promise<Delivered>

/** What this node sent to bots and what is not answered yet; nothing is kept beyond the deadline. */
export interface Deliveries {
  start(parcel: Parcel): Promise<Delivered>
  /** It was answered: nobody else gets it, nothing happens at the deadline. */
  settled(id: string): void
  /** Forgets all; waits for what is under way. */
  close(): Promise<void>
}

interface DeliveriesDeps {
  bus: Pick<Bus, 'subscribe'>
  clock: Clock
  timers: Timers
  deliver: Deliver
  /** Whether it may still be answered: another node may know of an answer. */
  isPending: (id: string) => Promise<boolean>
  /** The deadline has passed. */
  timeOut: (id: string) => Promise<void>
  /** What went wrong behind an answer. */
  report: (error: unknown) => void
}

interface Entry {
  parcel: Parcel
  /** The gateway session that has it. */
  sessionId: string | undefined
  /** Sessions that closed while it was being handed over. */
  closed: Set<string>
  timer: Timer
}

interface Watch {
  entries: Set<Entry>
  subscription: Promise<Subscription>
}

export function createDeliveries(deps: DeliveriesDeps): Deliveries {
  const { bus, clock, timers, deliver, report } = deps
  const entries = new Map<string, Entry>()
  const watches = new Map<string, Watch>()
  const underWay = new Set<Promise<void>>()

  function behind(work: Promise<void>): void {
    const settled = work.catch(report).finally(() => underWay.delete(settled))
    underWay.add(settled)
  }

  /** From here on no closed session of the application's bot goes unnoticed. */
  function watch(entry: Entry): Promise<Subscription> {
    const { applicationId } = entry.parcel.event
    let found = watches.get(applicationId)
    if (!found) {
      const open = new Set<Entry>()
      const subject = subjects.sessionClosed(applicationId)
      const subscription = bus.subscribe(subject, message => sessionClosed(open, message))
      found = { entries: open, subscription }
      watches.set(applicationId, found)
    }
    found.entries.add(entry)
    return found.subscription
  }

  function forget(entry: Entry): void {
    const { id, applicationId } = entry.parcel.event
    entry.timer.cancel()
    entries.delete(id)
    const found = watches.get(applicationId)
    if (!found?.entries.delete(entry) || found.entries.size > 0) return
    watches.delete(applicationId)
    found.subscription.then(
      subscription => subscription.close(),
      () => undefined,
    )
  }

  /** D26: what the session had and did not answer goes to another one. */
  function sessionClosed(open: ReadonlySet<Entry>, message: unknown): void {
    const sessionId = sessionIdOf(message)
    if (sessionId === undefined) return
    for (const entry of open) {
      if (entry.sessionId === sessionId) behind(again(entry))
      else entry.closed.add(sessionId)
    }
  }

  async function again(entry: Entry): Promise<void> {
    entry.sessionId = undefined
    if (!(await deps.isPending(entry.parcel.event.id))) return forget(entry)
    // With nobody else there, the one that has it may resume and answer until the deadline (D54).
    await hand(entry)
  }

  async function hand(entry: Entry): Promise<Delivered> {
    entry.closed.clear()
    if (entries.get(entry.parcel.event.id) !== entry) return { taken: true, sessionId: undefined }
    const delivered = await deliver(entry.parcel)
    if (!delivered.taken || delivered.sessionId === undefined) return delivered
    entry.sessionId = delivered.sessionId
    if (entry.closed.has(delivered.sessionId)) behind(again(entry))
    return delivered
  }

  return {
    async start(parcel) {
      const { id } = parcel.event
      const timer = timers.after(parcel.deadlineAt - clock(), () => {
        forget(entry)
        behind(deps.timeOut(id))
      })
      const entry: Entry = { parcel, sessionId: undefined, closed: new Set(), timer }
      entries.set(id, entry)
      const delivered = await watch(entry).then(
        () => hand(entry),
        (cause: unknown): Delivered => ({ taken: false, reason: reasons.unreachable, cause }),
      )
      if (!delivered.taken) forget(entry)
      return delivered
    },

    settled(id) {
      const entry = entries.get(id)
      if (entry) forget(entry)
    },

    async close() {
      for (const entry of [...entries.values()]) forget(entry)
      await Promise.all(underWay)
    },
  }
}

/** A parse edge: what a gateway, perhaps of another node, publishes. */
function sessionIdOf(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || !('sessionId' in message)) return undefined
  return typeof message.sessionId === 'string' ? message.sessionId : undefined
}
