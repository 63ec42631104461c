import { PathIds } from '@gatehouse/protocol/ids'
import { WebhookDelivery } from '@gatehouse/protocol/webhooks'
import { list } from '@gatehouse/protocol/wire'
import { ok, type Route, route } from '../http/route.ts'
import type { Deliveries } from './deliveries.ts'

/** `GET /api/channels/:channelId/webhooks/:id/deliveries` */
export function deliveryRoutes(deliveries: Deliveries): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/channels/:channelId/webhooks/:id/deliveries',
      operationId: 'listDeliveries',
      summary: 'Lists the last 100 deliveries of a webhook, newest first, with the reasons of failures.',
      tag: 'Webhook management',
      caller: { session: true, bot: true },
      params: PathIds('channelId', 'id'),
      responses: { 200: list(WebhookDelivery) },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params }) => ok(await deliveries.list(caller.userId, params)),
    }),
  ]
}
