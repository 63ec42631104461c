import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import type { ApplicationRecord } from '../applications/index.ts'
import { aborted, delay } from '../kit/clock.ts'
import type { Deps } from './interaction-deps.ts'
import type { StatusReason } from './interaction-store.ts'
import { createSessionWatches, type SessionEvent } from './session-watches.ts'
import { createWaitingCounts } from './waiting-counts.ts'

export interface DispatchedEvent {
  /** Contains the token, so it is sent to the bot only. */
  event: InteractionCreate
  /** In milliseconds. */
  deadlineAt: number
}

/** An interaction to send to a bot. */
export interface Dispatch extends DispatchedEvent {
  application: ApplicationRecord
}

/** What is known after an event was sent to the gateway sessions of a bot. */
export type SendResult =
  | Confirmation
  /** No node confirmed the event, but a session may have it. */
  | { kind: 'unconfirmed' }
  | DispatchFailure

/** A gateway session on a node has received the event. */
interface Confirmation {
  kind: 'confirmed'
  sessionId: string
  node: string | undefined
}

/**
 * No gateway session accepted the event (`offline`), or the bus is down, or the request to the interactions endpoint
 * failed, or its response is invalid. The endpoint may have received the event.
 */
export interface DispatchFailure {
  kind: 'failed'
  reason: StatusReason
  /** An error of the service, for the log. */
  cause?: unknown
}

/** Does not reject. */
export type SendDispatch = (dispatched: DispatchedEvent) => Promise<SendResult>

/** HTTP if the application has an endpoint, otherwise the gateway (bots/interaction-delivery). */
export function deliveryOf({
  interactionsEndpointUrl,
}: Pick<ApplicationRecord, 'interactionsEndpointUrl'>): 'endpoint' | 'gateway' {
  return interactionsEndpointUrl === null ? 'gateway' : 'endpoint'
}

/** If no node has confirmed an event, its node may have died, and another session may be connected. */
const retryMs = 250

interface Delivery {
  send: SendDispatch
  /** Sends the event after the first time. */
  resend?: SendDispatch
  signal: AbortSignal
}

export type DeliveryResult = SendResult | { kind: 'too_many_wait' }

export type Deliver = ReturnType<typeof createDeliver>

/**
 * Sends an event to gateway sessions of its bot until `signal` aborts, and yields the result each time. Without a
 * session, the event waits for one (bots/interaction-delivery). If the session that received it disconnects, or its
 * node is lost, another session receives it (bots/interaction-node-loss). Ends early, with `too_many_wait`, if too many
 * events wait for a session.
 */
export function createDeliver({ timers, ...deps }: Pick<Deps, 'bus' | 'nodes' | 'timers'>) {
  const watchSessions = createSessionWatches(deps)
  const waiting = createWaitingCounts()

  return async function* deliver(
    dispatched: DispatchedEvent,
    { send, resend = send, signal }: Delivery,
  ): AsyncGenerator<DeliveryResult, void, undefined> {
    const { event } = dispatched
    const ended = aborted(signal)
    const watch = watchSessions(event.applicationId)
    try {
      for (let next = send; !signal.aborted; next = resend) {
        watch.forget()
        const sent = watch.ready.then(() => next(dispatched), unreachable)
        const result = await Promise.race([sent, ended])
        if (result === undefined) return
        yield result
        switch (result.kind) {
          case 'confirmed':
            await Promise.race([watch.until(event => isEndOf(result, event)), ended])
            break
          case 'unconfirmed':
            await delay(timers, retryMs, signal)
            break
          case 'failed':
            if (!waiting.add(event)) {
              yield { kind: 'too_many_wait' }
              return
            }
            await Promise.race([watch.until(isConnect), ended])
            waiting.remove(event)
        }
      }
    } finally {
      watch.close()
    }
  }
}

function unreachable(cause: unknown): DispatchFailure {
  return { kind: 'failed', reason: { code: 'unreachable' }, cause }
}

function isConnect({ kind }: SessionEvent): boolean {
  return kind === 'connected'
}

function isEndOf({ sessionId, node }: Confirmation, event: SessionEvent): boolean {
  if (event.kind === 'disconnected') return event.sessionId === sessionId
  return event.kind === 'node_lost' && event.node === node
}
