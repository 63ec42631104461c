import { WebhookDelivery } from '@gatehouse/protocol/webhooks'
import { list } from '@gatehouse/protocol/wire'
import { ok, type Route, route } from '../http/route.ts'
import type { Deliveries } from './deliveries.ts'

export function deliveryRoutes(deliveries: Deliveries): Route[] {
  return [
    route('listDeliveries', {
      summary: 'Lists the last 100 deliveries of a webhook, newest first, with the reasons of failures.',
      tag: 'Webhook management',
      caller: { session: true, bot: true },
      responses: { 200: list(WebhookDelivery) },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params }) => ok(await deliveries.list(caller.userId, params)),
    }),
  ]
}
