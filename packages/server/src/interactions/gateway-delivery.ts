import { type Bus, NoResponders, RequestTimeout } from '../bus/bus.ts'
import type { Clock } from '../kit/clock.ts'
import { subjects } from '../platform/events.ts'
import type { Deliver } from './delivery.ts'
import { reasons } from './interaction.ts'

/** Delivery to one of the gateway sessions of the application's bot, in turn (D26), on whichever node it is. */
export function createGatewayDelivery({ bus, clock }: { bus: Pick<Bus, 'request'>; clock: Clock }): Deliver {
  return async ({ event, deadlineAt }) => {
    const message = { t: 'INTERACTION_CREATE', d: event, deadlineAt }
    try {
      const answer = await bus.request(subjects.app(event.applicationId), message, deadlineAt - clock())
      return read(answer)
    } catch (error) {
      if (error instanceof NoResponders) return { taken: false, reason: reasons.offline }
      // It may have reached the bot all the same: the deadline decides.
      if (error instanceof RequestTimeout) return { taken: true, sessionId: undefined }
      return { taken: false, reason: reasons.unreachable, cause: error }
    }
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
