// Incoming webhooks: their URLs and tokens, messages in the formats of Discord, Slack and GitHub, rate limits, and the
// log of recent deliveries.
// Storing messages and resolving mentions belongs to platform/messages/, permission checks to platform/permissions/.

import type { Users } from '../accounts/users/index.ts'
import type { MessageRepository } from '../community/messages/index.ts'
import type { Core, Module } from '../core.ts'
import type { ProxyUrls } from '../images/media-proxy/index.ts'
import { createDeliveries } from './deliveries.ts'
import { createDuplicateFilter } from './github/duplicates.ts'
import { createWebhookMessages } from './messages.ts'
import { createWebhookRateLimits } from './rate-limits.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { githubRoutes } from './routes/github.ts'
import { createWebhookGuard } from './routes/guard.ts'
import { messageRoutes } from './routes/messages.ts'
import { slackRoutes } from './routes/slack.ts'
import { tokenResetRoutes } from './routes/token.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { deleteDeliveriesOfChannel } from './store.ts'
import { createWebhookTokens } from './token.ts'
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
