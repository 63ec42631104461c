import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import { isJsonObject } from '@gatehouse/protocol/json-object'
import { maxWaitingOfApplication, maxWaitingOfUser } from '@gatehouse/protocol/limits'
import type { ApplicationRecord } from '../applications/index.ts'
import type { Subscription } from '../bus/bus.ts'
import type { BackgroundTasks } from '../kit/background.ts'
import { runAt, type Timer } from '../kit/clock.ts'
import { subjects } from '../platform/events.ts'
import { isOverdue } from './deadline.ts'
import type { Deps } from './deps.ts'
import type { StatusReason } from './interactions-store.ts'

/** An interaction to send to a bot. */
export interface Dispatch {
  /** Contains the token, so it is sent to the bot only. */
  event: InteractionCreate
  application: ApplicationRecord
  /** In milliseconds. */
  deadlineAt: number
}

/** What is known after an event was sent to a bot. */
export type SendResult =
  /** A gateway session on a node has received the event, or the endpoint has responded. */
  | { kind: 'confirmed'; sessionId?: string; node?: string | undefined }
  /** The bot may have the event: no gateway confirmed it, or the endpoint did not respond before the deadline. */
  | { kind: 'unconfirmed' }
  | DispatchFailure

/**
 * No gateway session accepted the event (`offline`), or the bus is down, or the request to the interactions endpoint failed, or its
 * response is invalid. The endpoint may have received the event.
 */
export interface DispatchFailure {
  kind: 'failed'
  reason: StatusReason
  /** An error of the service, for the log. */
  cause?: unknown
}

/** Sends an event to the bot. An endpoint may have responded to it when the promise resolves. Does not reject. */
export type SendDispatch = (dispatch: Dispatch) => Promise<SendResult>

/** HTTP if the application has an endpoint, otherwise the gateway (bots/interaction-delivery). */
export function deliveryOf({
  interactionsEndpointUrl,
}: Pick<ApplicationRecord, 'interactionsEndpointUrl'>): 'endpoint' | 'gateway' {
  return interactionsEndpointUrl === null ? 'gateway' : 'endpoint'
}

/** An interaction without a response, on the node that dispatched it. The entry is removed at the deadline at the latest. */
interface PendingDispatch {
  dispatch: Dispatch
  /** The gateway session that received the event, and its node. */
  sessionId: string | undefined
  node: string | undefined
  /**
   * Other sessions that disconnected since the last send began: the message about a disconnect may arrive before the reply that has
   * the id of the session.
   */
  disconnectedSessions: Set<string>
  /** A session connected since the last send began, which may have been too early for it. */
  sessionConnected: boolean
  /** No session has the event. The next one that connects receives it. */
  isWaiting: boolean
  /** Sends the event again, because no session has confirmed it. */
  retryTimer: Timer | undefined
  /** Resolves when the entry is removed. */
  removed: PromiseWithResolvers<void>
}

/** The subscriptions to the gateway sessions of an application that connect and disconnect, shared by its entries. */
interface SessionWatch {
  entries: Set<PendingDispatch>
  subscriptions: Promise<Subscription[]>
}

/**
 * The message with which a node asks another one to take over an interaction: to send it again and to record its timeout. Without
 * `onLoss`, the other node does so at once, because `from` stops. With `onLoss`, it keeps the message and does so only if `from`
 * is lost, because the gateway session that received the event is on `from` too. `ForwardedDispatch` of
 * `gateway/bot-subscriptions.ts` is another message: it only asks a node to send the interaction to one of its sessions. Nodes
 * of other versions read both, so `t` and the other members stay the same.
 */
interface TakeOverMessage {
  t: 'dispatch'
  from: string
  onLoss: boolean
  event: InteractionCreate
  deadlineAt: number
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
 * Sends the interactions of this node to bots and times them out at their deadlines. Without a gateway session, an interaction waits
 * here for one (bots/interaction-delivery). If the node of the gateway session that received one ends, another session receives it
 * (bots/interaction-node-loss).
 */
export function createDispatcher(deps: DispatcherDeps) {
  const { bus, clock, timers, nodes, send, background } = deps
  const entries = new Map<string, PendingDispatch>()
  /** Also of the interactions whose entry was removed because too many wait. */
  const deadlines = new Map<string, Timer>()
  /** The number of entries that wait, by the id of their user, and by that of their application. */
  const waiting = new Map<string, number>()
  /** The messages with `onLoss` that other nodes sent to this one, by interaction id, the oldest first. */
  const copiesForOthers = new Map<string, TakeOverMessage>()
  let isClosed = false
  const watches = new Map<string, SessionWatch>()

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
    const watch = watches.get(applicationId)
    if (!watch?.entries.delete(entry) || watch.entries.size > 0) return
    watches.delete(applicationId)
    watch.subscriptions.then(
      subscriptions => {
        for (const subscription of subscriptions) subscription.close()
      },
      () => undefined,
    )
  }

  function watchSessions(entry: PendingDispatch): Promise<unknown> {
    const { applicationId } = entry.dispatch.event
    let watch = watches.get(applicationId)
    if (!watch) {
      const watched = new Set<PendingDispatch>()
      const subscriptions = Promise.all([
        bus.subscribe(subjects.gatewaySessionDisconnected(applicationId), message =>
          onSessionDisconnected(watched, message),
        ),
        bus.subscribe(subjects.gatewaySessionConnected(applicationId), () => onSessionConnected(watched)),
      ])
      watch = { entries: watched, subscriptions }
      watches.set(applicationId, watch)
    }
    watch.entries.add(entry)
    return watch.subscriptions
  }

  /** In the order of the interactions. */
  function onSessionConnected(watched: ReadonlySet<PendingDispatch>): void {
    for (const entry of watched) {
      if (entry.isWaiting) background.run(() => resend(entry))
      else entry.sessionConnected = true
    }
  }

  /** Another session receives what the disconnected one has not responded to (bots/interaction-delivery). */
  function onSessionDisconnected(watched: ReadonlySet<PendingDispatch>, message: unknown): void {
    if (!isJsonObject(message) || typeof message.sessionId !== 'string') return
    const { sessionId } = message
    for (const entry of watched) {
      if (entry.sessionId === sessionId) background.run(() => resend(entry))
      else entry.disconnectedSessions.add(sessionId)
    }
  }

  async function resend(entry: PendingDispatch): Promise<void> {
    entry.sessionId = undefined
    entry.node = undefined
    stopWaiting(entry)
    if (!(await deps.isPending(entry.dispatch.event.id))) return complete(entry.dispatch.event.id)
    if (await sendToSession(entry)) wait(entry)
  }

  const counted = ({ applicationId, user }: InteractionCreate) =>
    [
      [user.id, maxWaitingOfUser],
      [applicationId, maxWaitingOfApplication],
    ] as const

  /** Until a session connects. The bot may connect or resume until the deadline (bots/interaction-delivery). */
  function wait(entry: PendingDispatch): void {
    const { event } = entry.dispatch
    if (entries.get(event.id) !== entry) return
    if (entry.sessionConnected) background.run(() => resend(entry))
    else if (counted(event).some(([key, max]) => (waiting.get(key) ?? 0) >= max)) removeEntry(entry)
    else {
      entry.isWaiting = true
      for (const [key] of counted(event)) waiting.set(key, (waiting.get(key) ?? 0) + 1)
    }
  }

  function stopWaiting(entry: PendingDispatch): void {
    if (!entry.isWaiting) return
    entry.isWaiting = false
    for (const [key] of counted(entry.dispatch.event)) {
      const count = (waiting.get(key) ?? 0) - 1
      if (count > 0) waiting.set(key, count)
      else waiting.delete(key)
    }
  }

  function resendLater(entry: PendingDispatch): void {
    if (entries.get(entry.dispatch.event.id) !== entry) return
    entry.retryTimer = timers.after(retryMs, () => background.run(() => resend(entry)))
  }

  /** For another node, which stops or is lost. */
  async function takeOver(message: TakeOverMessage): Promise<void> {
    const { event, deadlineAt } = message
    if (entries.has(event.id) || isOverdue(message, clock()) || !(await deps.isPending(event.id))) return
    const application = await deps.findApplication(event.applicationId)
    if (application === undefined || deliveryOf(application) === 'endpoint' || entries.has(event.id)) return
    const entry = addEntry({ event, application, deadlineAt })
    await watchSessions(entry)
    await resend(entry)
  }

  function sendToNeighbour({ dispatch: { event, deadlineAt } }: PendingDispatch, onLoss: boolean): void {
    const neighbour = nodes.neighbour()
    if (neighbour === undefined) return
    nodes.send(neighbour, {
      t: 'dispatch',
      from: nodes.self,
      onLoss,
      event,
      deadlineAt,
    } satisfies TakeOverMessage)
  }

  const requestTakeOver = (entry: PendingDispatch) => sendToNeighbour(entry, false)

  /** The other node sends the interaction only if this node is lost. */
  const sendCopy = (entry: PendingDispatch) => sendToNeighbour(entry, true)

  nodes.onMessage(message => {
    if (isClosed || !isTakeOverMessage(message)) return
    if (!message.onLoss) return background.run(() => takeOver(message))
    for (const [id, copy] of copiesForOthers) {
      if (!isOverdue(copy, clock())) break
      copiesForOthers.delete(id)
    }
    copiesForOthers.set(message.event.id, message)
  })

  nodes.onEnd((node, end) => {
    if (isClosed) return
    // Nothing to do for a node that stops: each of its sessions that closes reaches `onSessionDisconnected`, and its `close`
    // asks another node to take over its own interactions.
    if (end === 'lost') {
      for (const entry of entries.values()) if (entry.node === node) background.run(() => resend(entry))
    }
    for (const [id, message] of copiesForOthers) {
      if (message.from !== node) continue
      copiesForOthers.delete(id)
      if (end === 'lost') background.run(() => takeOver(message))
    }
  })

  /** Returns the failure if no session can have the event. */
  async function sendToSession(entry: PendingDispatch): Promise<DispatchFailure | undefined> {
    entry.disconnectedSessions.clear()
    entry.sessionConnected = false
    // The entry was removed meanwhile, so there is nothing to send.
    if (entries.get(entry.dispatch.event.id) !== entry) return undefined
    const result = await send(entry.dispatch)
    if (result.kind === 'failed') return result
    if (result.kind === 'unconfirmed' || result.sessionId === undefined) {
      // The node that has the event may have died: then the next session of the bot receives it (bots/interaction-node-loss).
      resendLater(entry)
      return undefined
    }
    entry.sessionId = result.sessionId
    entry.node = result.node
    // The session is on this node. If the node is lost, both the session and this entry are, so another node gets a copy.
    if (result.node === nodes.self) sendCopy(entry)
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
     * Resolves when a gateway session has received the event or the event waits for one, or to the failure if the bus is down.
     * Autocomplete does not wait, so it fails too if there is no session. If no node confirms the event, it resolves at the latest
     * at the deadline. Does not wait for an endpoint: if that fails, `onEndpointFailure` is called later.
     */
    async start(dispatch: Dispatch): Promise<DispatchFailure | undefined> {
      const entry = addEntry(dispatch)
      if (deliveryOf(dispatch.application) === 'endpoint') {
        background.run(() => callEndpoint(entry))
        return undefined
      }
      // The subscription comes first, so that no disconnected session is missed.
      const failure = await watchSessions(entry).then(
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
     * The interaction has its first response or has failed. If this node dispatched it, cancels its timeout and sends it to no
     * other session. Another node finds at its timeout that the interaction is not pending any more.
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
        if (isGateway && (entry.sessionId === undefined || entry.node === nodes.self)) requestTakeOver(entry)
        removeEntry(entry)
      }
      for (const timer of deadlines.values()) timer.cancel()
      await background.idle()
    },
  }
}

function isTakeOverMessage(message: unknown): message is TakeOverMessage {
  return isJsonObject(message) && message.t === 'dispatch'
}
