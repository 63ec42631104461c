import { PathIds } from '@gatehouse/protocol/ids'
import { Type } from '@gatehouse/protocol/type'
import { WebhookDelivery } from '@gatehouse/protocol/webhooks'
import { ok, type Route, route } from '../../http/route.ts'
import type { Webhooks } from '../index.ts'

/** `GET /api/channels/:channelId/webhooks/:id/deliveries` */
export function logRoute({ managing }: Webhooks): Route {
  return route({
    method: 'GET',
    path: '/api/channels/:channelId/webhooks/:id/deliveries',
    summary: 'The last 100 posts of a webhook, newest first, and why some were refused.',
    tag: 'Webhooks, managed',
    caller: { session: true },
    params: PathIds('channelId', 'id'),
    answers: { 200: Type.Array(WebhookDelivery) },
    errors: ['not_found', 'missing_permission'],
    handle: async ({ caller, params }) => ok(await managing.log(caller.userId, params)),
  })
}
