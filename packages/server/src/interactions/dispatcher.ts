import { createBackgroundTasks } from '../kit/background.ts'
import { aborted, runAt } from '../kit/clock.ts'
import type { Callback } from './callbacks.ts'
import { isOverdue } from './deadline.ts'
import {
  type Deliver,
  type DeliveryResult,
  type Dispatch,
  type DispatchedEvent,
  type DispatchFailure,
  deliveryOf,
  type SendDispatch,
  type SendResult,
} from './dispatch.ts'
import type { EndpointDispatch } from './endpoint-dispatch.ts'
import type { Deps } from './interaction-deps.ts'
import { createTakeOvers } from './take-over.ts'

/** An interaction without a response, on the node that dispatched it. */
interface Pending {
  /** Aborts when the interaction is not pending any more. The reason is `stopping` if the node stops before. */
  end: AbortController
  /** No session has the event. */
  isOffline: boolean
}

const stopping = Symbol('stopping')

type DispatcherDeps = Pick<Deps, 'clock' | 'timers' | 'nodes' | 'onError'> & {
  deliver: Deliver
  sendToGateway: SendDispatch
  endpoint: EndpointDispatch
  callback: Callback
  /** Reads the database, because another node may have received the response. */
  isPending: (id: string) => Promise<boolean>
  /** `isOffline`: no session has received the event. */
  recordTimeout: (id: string, isOffline: boolean) => Promise<void>
  recordEndpointFailure: (id: string, failure: DispatchFailure) => Promise<void>
}

export type Dispatcher = ReturnType<typeof createDispatcher>

/**
 * Sends the interactions of this node to bots and times them out at their deadlines. If this node ends, another one
 * does both (bots/interaction-node-loss).
 */
export function createDispatcher(deps: DispatcherDeps) {
  const { clock, nodes, deliver, sendToGateway, endpoint, callback, onError } = deps
  const pending = new Map<string, Pending>()
  /** Requests to endpoints and records of timeouts. */
  const background = createBackgroundTasks(onError)
  const deliveries = createBackgroundTasks(onError)
  let isClosed = false

  // For another node, which stops or is lost.
  const takeOvers = createTakeOvers(deps, taken => {
    if (isClosed || pending.has(taken.event.id) || isOverdue(taken, clock())) return
    const entry = begin(taken)
    const results = deliver(taken, { send: sendIfPending, signal: entry.end.signal })
    deliveries.run(async () => follow(taken, entry, results, await results.next()))
  })

  function begin({ event: { id }, deadlineAt }: DispatchedEvent): Pending {
    const entry = { end: new AbortController(), isOffline: false }
    const timer = runAt(deps, deadlineAt, () => {
      background.run(() => deps.recordTimeout(id, entry.isOffline))
      entry.end.abort()
    })
    entry.end.signal.addEventListener('abort', () => {
      timer.cancel()
      pending.delete(id)
    })
    pending.set(id, entry)
    return entry
  }

  function complete(id: string): void {
    pending.get(id)?.end.abort()
  }

  async function callEndpoint(dispatch: Dispatch, { end }: Pending): Promise<void> {
    const { id, token, applicationId } = dispatch.event
    try {
      const result = await endpoint.send(dispatch)
      // Makes `idle` include the record of the timeout.
      if (result.kind === 'unconfirmed') await aborted(end.signal)
      else if (result.response) await callback({ applicationId, id, token }, result.response)
    } catch (error) {
      const failure = endpoint.toFailure(dispatch, error)
      if (failure) await deps.recordEndpointFailure(id, failure)
    }
  }

  async function sendIfPending(dispatched: DispatchedEvent): Promise<SendResult> {
    const { id } = dispatched.event
    try {
      if (await deps.isPending(id)) return await sendToGateway(dispatched)
      complete(id)
    } catch (error) {
      onError(error)
    }
    // The database may be available again before the deadline.
    return { kind: 'unconfirmed' }
  }

  /** Follows a delivery from its first result on. */
  async function follow(
    dispatched: DispatchedEvent,
    entry: Pending,
    results: AsyncIterator<DeliveryResult>,
    first: IteratorResult<DeliveryResult>,
  ): Promise<void> {
    let isOnOtherNode = false
    for (let next = first; !next.done; next = await results.next()) {
      const result = next.value
      entry.isOffline = result.kind === 'failed' || result.kind === 'too_many_wait'
      isOnOtherNode = result.kind === 'confirmed' && result.node !== nodes.self
      // If this node is lost, both the session and this delivery are.
      if (result.kind === 'confirmed' && !isOnOtherNode) takeOvers.sendCopy(dispatched)
    }
    if (entry.end.signal.reason === stopping && !isOnOtherNode) takeOvers.request(dispatched)
  }

  return {
    deliveryOf,

    /**
     * Resolves when a gateway session has received the event or the event waits for one, or to the failure if the bus
     * is down. If no node confirms the event, it resolves at the latest at the deadline. Does not wait for an endpoint.
     */
    async start(dispatch: Dispatch): Promise<DispatchFailure | undefined> {
      const entry = begin(dispatch)
      if (deliveryOf(dispatch.application) === 'endpoint') {
        background.run(() => callEndpoint(dispatch, entry))
        return undefined
      }
      const results = deliver(dispatch, {
        send: sendToGateway,
        resend: sendIfPending,
        signal: entry.end.signal,
      })
      const first = await results.next()
      const failure =
        first.value?.kind === 'failed' && first.value.reason.code !== 'offline' ? first.value : undefined
      if (failure) complete(dispatch.event.id)
      deliveries.run(() => follow(dispatch, entry, results, first))
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
      for (const { end } of pending.values()) end.abort(stopping)
      await deliveries.idle()
      await background.idle()
    },
  }
}
