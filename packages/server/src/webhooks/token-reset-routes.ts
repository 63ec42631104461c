import { Webhook } from '@gatehouse/protocol/webhooks'
import { ok, type Route, route } from '../http/route.ts'
import type { WebhookTokens } from './webhook-tokens.ts'

export function tokenResetRoutes(tokens: WebhookTokens): Route[] {
  return [
    route('resetWebhookToken', {
      summary:
        'Replaces the token of a webhook. The caller becomes its creator, and the old URL stops working immediately.',
      tag: 'Webhook management',
      caller: { session: true, bot: true },
      responses: { 200: Webhook },
      errors: ['not_found', 'missing_permission', 'email_not_verified'],
      auditReason: true,
      handle: async ({ caller, params }) => ok(await tokens.reset(caller, params)),
    }),
  ]
}
