import type { ApplicationRecord } from '../applications/index.ts'
import type { BackgroundTasks } from '../kit/background.ts'
import { runAt, type Timer } from '../kit/clock.ts'
import { isOverdue } from './deadline.ts'
import { type Dispatch, type DispatchFailure, deliveryOf, type SendDispatch } from './dispatch.ts'
import type { Deps } from './interaction-deps.ts'
import { createSessionWatches } from './session-watches.ts'
import { createTakeOvers, type TakeOverMessage } from './take-over.ts'
import { createWaitingCounts } from './waiting-counts.ts'

/**
 * An interaction without a response, on the node that dispatched it. The entry is removed at the deadline at the
 * latest.
 */
interface PendingDispatch {
  dispatch: Dispatch
  /** The gateway session that received the event, and its node. */
  sessionId: string | undefined
  node: string | undefined
  /**
   * Other sessions that disconnected since the last send began: the message about a disconnect may arrive before the
   * reply that has the id of the session.
   */
  disconnectedSessions: Set<string>
  /** A session connected since the last send began, which may have been too early for it. */
  sessionConnected: boolean
  /** No session has the event. The next one that connects receives it. */
  isWaiting: boolean
  /** Sends the event again, because no session has confirmed it, or the database was unavailable. */
  retryTimer: Timer | undefined
  /** Resolves when the entry is removed. */
  removed: PromiseWithResolvers<void>
}

/** If no node has confirmed an event, its node may have died, and another session may be connected. */
const retryMs = 250

type DispatcherDeps = Pick<Deps, 'bus' | 'clock' | 'timers' | 'nodes'> & {
  send: SendDispatch
  findApplication: (id: string) => Promise<ApplicationRecord | undefined>
  /** Reads the database, because another node may have received the response. */
  isPending: (id: string) => Promise<boolean>
  /** `isOffline`: no session has received the event. */
  recordTimeout: (id: string, isOffline: boolean) => Promise<void>
  /** The endpoint failed. */
  onEndpointFailure: (id: string, failure: DispatchFailure) => Promise<void>
  background: BackgroundTasks
}

export type Dispatcher = ReturnType<typeof createDispatcher>

/**
 * Sends the interactions of this node to bots and times them out at their deadlines. Without a gateway session, an
 * interaction waits here for one (bots/interaction-delivery). If the node of the gateway session that received one
 * ends, another session receives it (bots/interaction-node-loss).
 */
export function createDispatcher(deps: DispatcherDeps) {
  const { clock, timers, nodes, send, background } = deps
  const entries = new Map<string, PendingDispatch>()
  /** Also of the interactions whose entry was removed because too many wait. */
  const deadlines = new Map<string, Timer>()
  let isClosed = false
  const waiting = createWaitingCounts()
  const sessions = createSessionWatches<PendingDispatch>(deps, {
    onConnected(entry) {
      if (entry.isWaiting) background.run(() => resend(entry))
      else entry.sessionConnected = true
    },
    // Another session receives what the disconnected one has not responded to (bots/interaction-delivery).
    onDisconnected(entry, sessionId) {
      if (entry.sessionId === sessionId) background.run(() => resend(entry))
      else entry.disconnectedSessions.add(sessionId)
    },
  })
  const takeOvers = createTakeOvers(deps, {
    onTakeOver(message) {
      startTakeOver(message)
    },
    onNodeLost(node) {
      if (isClosed) return
      for (const entry of entries.values()) if (entry.node === node) background.run(() => resend(entry))
    },
  })

  function addEntry(dispatch: Dispatch): PendingDispatch {
    const { id } = dispatch.event
    deadlines.set(
      id,
      runAt(deps, dispatch.deadlineAt, () => endAtDeadline(id)),
    )
    const removed = Promise.withResolvers<void>()
    const entry: PendingDispatch = {
      dispatch,
      sessionId: undefined,
      node: undefined,
      disconnectedSessions: new Set(),
      sessionConnected: false,
      isWaiting: false,
      retryTimer: undefined,
      removed,
    }
    entries.set(id, entry)
    return entry
  }

  function endAtDeadline(id: string): void {
    const entry = entries.get(id)
    // Without an entry, too many wait.
    const isOffline = entry?.isWaiting ?? true
    background.run(() => deps.recordTimeout(id, isOffline))
    complete(id)
  }

  function complete(id: string): void {
    deadlines.get(id)?.cancel()
    deadlines.delete(id)
    const entry = entries.get(id)
    if (entry) removeEntry(entry)
  }

  /** The interaction is sent to no session any more. Its deadline remains. */
  function removeEntry(entry: PendingDispatch): void {
    const { id, applicationId } = entry.dispatch.event
    stopWaiting(entry)
    entry.retryTimer?.cancel()
    entry.removed.resolve()
    entries.delete(id)
    sessions.remove(applicationId, entry)
  }

  async function resend(entry: PendingDispatch): Promise<void> {
    entry.sessionId = undefined
    entry.node = undefined
    stopWaiting(entry)
    let isPending: boolean
    try {
      isPending = await deps.isPending(entry.dispatch.event.id)
    } catch (error) {
      // The database may be available again before the deadline.
      resendLater(entry)
      throw error
    }
    if (!isPending) return complete(entry.dispatch.event.id)
    if (await sendToSession(entry)) wait(entry)
  }

  /** Until a session connects. The bot may connect or resume until the deadline (bots/interaction-delivery). */
  function wait(entry: PendingDispatch): void {
    const { event } = entry.dispatch
    if (entries.get(event.id) !== entry) return
    if (entry.sessionConnected) background.run(() => resend(entry))
    else if (waiting.add(event)) entry.isWaiting = true
    else removeEntry(entry)
  }

  function stopWaiting(entry: PendingDispatch): void {
    if (!entry.isWaiting) return
    entry.isWaiting = false
    waiting.remove(entry.dispatch.event)
  }

  function resendLater(entry: PendingDispatch): void {
    if (entries.get(entry.dispatch.event.id) !== entry) return
    entry.retryTimer = timers.after(retryMs, () => background.run(() => resend(entry)))
  }

  function startTakeOver(message: TakeOverMessage): void {
    if (!isClosed) background.run(() => takeOver(message))
  }

  /** For another node, which stops or is lost. */
  async function takeOver(message: TakeOverMessage): Promise<void> {
    const { event, deadlineAt } = message
    if (entries.has(event.id) || isOverdue(message, clock())) return
    let application: ApplicationRecord | undefined
    try {
      if (!(await deps.isPending(event.id))) return
      application = await deps.findApplication(event.applicationId)
    } catch (error) {
      timers.after(retryMs, () => startTakeOver(message))
      throw error
    }
    if (application === undefined || deliveryOf(application) === 'endpoint' || entries.has(event.id)) return
    const entry = addEntry({ event, application, deadlineAt })
    await sessions.add(event.applicationId, entry)
    await resend(entry)
  }

  /** Returns the failure if no session can have the event. */
  async function sendToSession(entry: PendingDispatch): Promise<DispatchFailure | undefined> {
    entry.disconnectedSessions.clear()
    entry.sessionConnected = false
    // The entry was removed meanwhile, so there is nothing to send.
    if (entries.get(entry.dispatch.event.id) !== entry) return undefined
    const result = await send(entry.dispatch)
    if (result.kind === 'failed') return result
    if (result.kind === 'unconfirmed' || result.sessionId === undefined) {
      // The node that has the event may have died: then the next session of the bot receives it
      // (bots/interaction-node-loss).
      resendLater(entry)
      return undefined
    }
    entry.sessionId = result.sessionId
    entry.node = result.node
    // The session is on this node. If the node is lost, both the session and this entry are, so another node gets a
    // copy.
    if (result.node === nodes.self) takeOvers.sendCopy(entry.dispatch)
    if (entry.disconnectedSessions.has(result.sessionId)) background.run(() => resend(entry))
    return undefined
  }

  async function callEndpoint(entry: PendingDispatch): Promise<void> {
    const result = await send(entry.dispatch)
    if (result.kind === 'failed') await deps.onEndpointFailure(entry.dispatch.event.id, result)
    // The timer of the entry records the timeout. Waiting for it makes `idle` include it.
    else if (result.kind === 'unconfirmed') await entry.removed.promise
  }

  return {
    deliveryOf,

    /**
     * Resolves when a gateway session has received the event or the event waits for one, or to the failure if the bus
     * is down. Autocomplete does not wait, so it fails too if there is no session. If no node confirms the event, it
     * resolves at the latest at the deadline. Does not wait for an endpoint: if that fails, `onEndpointFailure` is
     * called later.
     */
    async start(dispatch: Dispatch): Promise<DispatchFailure | undefined> {
      const entry = addEntry(dispatch)
      if (deliveryOf(dispatch.application) === 'endpoint') {
        background.run(() => callEndpoint(entry))
        return undefined
      }
      // The subscription comes first, so that no disconnected session is missed.
      const failure = await sessions.add(dispatch.event.applicationId, entry).then(
        () => sendToSession(entry),
        (cause: unknown): DispatchFailure => ({ kind: 'failed', reason: { code: 'unreachable' }, cause }),
      )
      if (failure?.reason.code === 'offline' && dispatch.event.type !== 'autocomplete') {
        wait(entry)
        return undefined
      }
      if (failure) complete(dispatch.event.id)
      return failure
    },

    /**
     * The interaction has its first response or has failed. If this node dispatched it, cancels its timeout and sends
     * it to no other session. Another node finds at its timeout that the interaction is not pending any more.
     */
    complete,

    /** Resolves when no request to an endpoint is in flight, and each outcome is stored and published. */
    idle: () => background.idle(),

    /**
     * Cancels all timeouts, then waits as `idle` does. `overdue.ts` of another node, or of the next start, records the
     * timeouts. For each interaction that no session of a remaining node has received, it asks another node to send it.
     */
    async close(): Promise<void> {
      isClosed = true
      for (const entry of [...entries.values()]) {
        const isGateway = deliveryOf(entry.dispatch.application) === 'gateway'
        if (isGateway && (entry.sessionId === undefined || entry.node === nodes.self))
          takeOvers.request(entry.dispatch)
        removeEntry(entry)
      }
      for (const timer of deadlines.values()) timer.cancel()
      await background.idle()
    },
  }
}
