// Incoming webhooks: their URLs and tokens, messages in the formats of Discord, Slack and GitHub, rate limits, and the
// log of recent deliveries.
// Storing messages and resolving mentions belongs to platform/messages/, permission checks to platform/permissions/.

import type { Users } from '../accounts/users/index.ts'
import type { MessageRepository } from '../community/messages/index.ts'
import type { Core, Module } from '../core.ts'
import type { ProxyUrls } from '../images/media-proxy/index.ts'
import { createDeliveries } from './deliveries.ts'
import { deliveryRoutes } from './delivery-routes.ts'
import { createDuplicateFilter } from './github/github-duplicates.ts'
import { githubRoutes } from './github/github-routes.ts'
import { slackRoutes } from './slack/slack-routes.ts'
import { tokenResetRoutes } from './token-reset-routes.ts'
import { createWebhookGuard } from './webhook-guard.ts'
import { messageRoutes } from './webhook-message-routes.ts'
import { createWebhookMessages } from './webhook-messages.ts'
import { createWebhookRateLimits } from './webhook-rate-limits.ts'
import { webhookRoutes } from './webhook-routes.ts'
import { deleteDeliveriesOfChannel } from './webhook-store.ts'
import { createWebhookTokens } from './webhook-tokens.ts'
import { createWebhooks } from './webhooks.ts'

export function createWebhooksModule(
  core: Core,
  {
    messages: messageRepository,
    proxyUrls,
    users,
  }: { messages: MessageRepository; proxyUrls: ProxyUrls; users: Users },
): Module<null> {
  const { config, db, clock, bus, logger } = core
  const { baseUrl } = config
  const deps = { ...core, baseUrl, proxyUrls, requireVerified: users.requireVerified }
  const deliveries = createDeliveries(deps, err =>
    logger.error({ err }, 'writing the delivery log of a webhook failed'),
  )
  core.onClose(() => deliveries.close())
  const webhooks = createWebhooks(deps, deliveries.flush)
  const tokens = createWebhookTokens(deps)
  const messages = createWebhookMessages({ db, messages: messageRepository, baseUrl, proxyUrls })
  const rateLimits = createWebhookRateLimits(core)
  const guard = createWebhookGuard({ tokens, rateLimits, deliveries, clock })
  return {
    api: null,
    routes: [
      ...webhookRoutes({ webhooks, messages, guard }),
      ...tokenResetRoutes(tokens),
      ...deliveryRoutes(deliveries),
      ...slackRoutes(messages, guard),
      ...githubRoutes(messages, guard, createDuplicateFilter(bus.requestKv)),
      ...messageRoutes(messages, guard),
    ],
    deletions: { channel: [deleteDeliveriesOfChannel] },
  }
}
