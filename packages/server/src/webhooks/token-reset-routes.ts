import { PathIds } from '@gatehouse/protocol/ids'
import { Webhook } from '@gatehouse/protocol/webhooks'
import { ok, type Route, route } from '../http/route.ts'
import type { WebhookTokens } from './webhook-tokens.ts'

/** `POST /api/channels/:channelId/webhooks/:id/token` */
export function tokenResetRoutes(tokens: WebhookTokens): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/channels/:channelId/webhooks/:id/token',
      operationId: 'resetWebhookToken',
      summary:
        'Replaces the token of a webhook. The caller becomes its creator, and the old URL stops working immediately.',
      tag: 'Webhook management',
      caller: { session: true, bot: true },
      params: PathIds('channelId', 'id'),
      responses: { 200: Webhook },
      errors: ['not_found', 'missing_permission', 'email_not_verified'],
      handle: async ({ caller, params }) => ok(await tokens.reset(caller.userId, params)),
    }),
  ]
}
