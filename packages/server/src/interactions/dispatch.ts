import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import type { ApplicationRecord } from '../applications/index.ts'
import type { StatusReason } from './interaction-store.ts'

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
 * No gateway session accepted the event (`offline`), or the bus is down, or the request to the interactions endpoint
 * failed, or its response is invalid. The endpoint may have received the event.
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
