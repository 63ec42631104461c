import { type Bus, NoResponders, RequestTimeout } from '../bus/bus.ts'
import type { Clock } from '../kit/clock.ts'
import { subjects } from '../platform/events.ts'
import type { Deliver } from './delivery.ts'
import { reasons } from './interaction.ts'

/**
 * A gateway takes an event within a few ms. Where that long nobody says so, the node that was asked may be gone without
 * the bus knowing: it is asked for again, until the deadline, and goes to whoever answers.
 */
const confirmMs = 500

/** Delivery to one of the gateway sessions of the application's bot, in turn (D26), on whichever node it is. */
export function createGatewayDelivery({ bus, clock }: { bus: Pick<Bus, 'request'>; clock: Clock }): Deliver {
  return async ({ event, deadlineAt }) => {
    const message = { t: 'INTERACTION_CREATE', d: event, deadlineAt }
    let unconfirmed = false
    for (let left = deadlineAt - clock(); left > 0; left = Math.min(left - confirmMs, deadlineAt - clock())) {
      try {
        return read(await bus.request(subjects.app(event.applicationId), message, Math.min(left, confirmMs)))
      } catch (error) {
        if (error instanceof RequestTimeout) unconfirmed = true
        else if (unconfirmed) break
        else if (error instanceof NoResponders) return { taken: false, reason: reasons.offline }
        else return { taken: false, reason: reasons.unreachable, cause: error }
      }
    }
    // It may have reached the bot all the same: the deadline decides.
    return { taken: true, sessionId: undefined }
  }
}

/** A parse edge: what a gateway, perhaps of another node, responds. */
function read(answer: unknown): Awaited<ReturnType<Deliver>> {
  if (typeof answer === 'object' && answer !== null && 'delivered' in answer && answer.delivered === true) {
    const sessionId =
      'sessionId' in answer && typeof answer.sessionId === 'string' ? answer.sessionId : undefined
    return { taken: true, sessionId }
  }
  return { taken: false, reason: reasons.offline }
}
