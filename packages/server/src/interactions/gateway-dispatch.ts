import { isJsonObject } from '@gatehouse/protocol/json-object'
import { NoResponders, RequestTimeout } from '../bus/bus.ts'
import { type DispatchRequest, subjects } from '../events/gateway-events.ts'
import { msToRespond } from './deadline.ts'
import type { SendDispatch, SendResult } from './dispatch.ts'
import type { Deps } from './interaction-deps.ts'

/**
 * A gateway confirms an event within a few milliseconds. If it does not, its node may have crashed before the bus
 * noticed, so the request is repeated until the deadline, and another node can confirm it.
 */
const confirmMs = 500

/**
 * Sends to one gateway session of the application's bot: the bus chooses a node, whose sessions receive interactions in
 * turn (bots/interaction-delivery). If no session is connected, one that moves to another node receives it.
 */
export function createGatewayDispatch({ bus, clock }: Pick<Deps, 'bus' | 'clock'>): SendDispatch {
  async function request(message: DispatchRequest, timeoutMs: number): Promise<SendResult> {
    const { applicationId } = message.d
    const connected = subjects.botSessions(applicationId)
    for (const subject of [connected, subjects.waitingBotSessions(applicationId)]) {
      try {
        const result = parseReply(await bus.request(subject, message, timeoutMs))
        if (result.kind !== 'failed') return result
        // Otherwise the sessions on this subject are of other shards.
      } catch (error) {
        if (!(error instanceof NoResponders)) throw error
      }
    }
    // Once more, because a waiting session may have completed its move since the first request.
    return parseReply(await bus.request(connected, message, timeoutMs))
  }

  return async dispatched => {
    const message: DispatchRequest = { t: 'INTERACTION_CREATE', d: dispatched.event }
    const msLeft = () => msToRespond(dispatched, clock())
    let isUnconfirmed = false
    // Each turn takes at least `confirmMs` off `left`, even if the clock of a test stands still, so that the loop ends.
    for (let left = msLeft(); left > 0; left = Math.min(left - confirmMs, msLeft())) {
      try {
        const result = await request(message, Math.min(left, confirmMs))
        if (result.kind !== 'failed' || !isUnconfirmed) return result
        break
      } catch (error) {
        if (error instanceof RequestTimeout) isUnconfirmed = true
        else if (isUnconfirmed) break
        else if (error instanceof NoResponders) return { kind: 'failed', reason: { code: 'offline' } }
        else return { kind: 'failed', reason: { code: 'unreachable' }, cause: error }
      }
    }
    // The bot may have the event, so no failure is recorded: its response or the deadline decides.
    return { kind: 'unconfirmed' }
  }
}

/** Reads a `DispatchReply`. */
function parseReply(reply: unknown): SendResult {
  if (!isJsonObject(reply) || reply.delivered !== true) return { kind: 'failed', reason: { code: 'offline' } }
  const { sessionId, node } = reply
  if (typeof sessionId !== 'string') return { kind: 'unconfirmed' }
  return { kind: 'confirmed', sessionId, node: typeof node === 'string' ? node : undefined }
}
