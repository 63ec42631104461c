import { isJsonObject } from '@gatehouse/protocol/json-object'
import { NoResponders, RequestTimeout } from '../bus/bus.ts'
import { type DispatchRequest, subjects } from '../platform/events.ts'
import { msToRespond } from './deadline.ts'
import type { Deps } from './deps.ts'
import type { DispatchResult, SendDispatch } from './dispatch.ts'

/**
 * A gateway confirms an event within a few milliseconds. If it does not, its node may have crashed before the bus noticed,
 * so the request is repeated until the deadline, and another node can confirm it.
 */
const confirmMs = 500

/**
 * Sends to one gateway session of the application's bot: the bus chooses a node, whose sessions receive interactions in
 * turn (bots/interaction-delivery). If no session is connected, one that moves to another node receives it.
 */
export function createGatewayDispatch({ bus, clock }: Pick<Deps, 'bus' | 'clock'>): SendDispatch {
  async function request(message: DispatchRequest, timeoutMs: number): Promise<DispatchResult> {
    const { applicationId } = message.d
    const connected = subjects.botSessions(applicationId)
    for (const subject of [connected, subjects.waitingBotSessions(applicationId)]) {
      try {
        const result = parseReply(await bus.request(subject, message, timeoutMs))
        if (result.dispatched) return result
        // Otherwise the sessions on this subject are of other shards.
      } catch (error) {
        if (!(error instanceof NoResponders)) throw error
      }
    }
    // Once more, because a waiting session may have completed its move since the first request.
    return parseReply(await bus.request(connected, message, timeoutMs))
  }

  return async dispatch => {
    const message: DispatchRequest = { t: 'INTERACTION_CREATE', d: dispatch.event }
    const msLeft = () => msToRespond(dispatch, clock())
    let unconfirmed = false
    // Each attempt takes at least `confirmMs` off `left`, even if the clock of a test stands still, so that the loop ends.
    for (let left = msLeft(); left > 0; left = Math.min(left - confirmMs, msLeft())) {
      try {
        const result = await request(message, Math.min(left, confirmMs))
        if (result.dispatched || !unconfirmed) return result
        break
      } catch (error) {
        if (error instanceof RequestTimeout) unconfirmed = true
        else if (unconfirmed) break
        else if (error instanceof NoResponders) return { dispatched: false, reason: { code: 'offline' } }
        else return { dispatched: false, reason: { code: 'unreachable' }, cause: error }
      }
    }
    // The bot may have the event, so no failure is recorded: its response or the deadline decides.
    return { dispatched: true, sessionId: undefined }
  }
}

/** Reads a `DispatchReply`, whose `delivered` means `dispatched`. */
function parseReply(reply: unknown): DispatchResult {
  if (isJsonObject(reply) && reply.delivered === true) {
    const { sessionId, node } = reply
    return {
      dispatched: true,
      sessionId: typeof sessionId === 'string' ? sessionId : undefined,
      node: typeof node === 'string' ? node : undefined,
    }
  }
  return { dispatched: false, reason: { code: 'offline' } }
}
