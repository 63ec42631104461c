// Incoming webhooks: their URLs and tokens, messages in the formats of Discord, Slack and GitHub, rate limits, and the
// log of recent deliveries.
// Does not own: storing messages and resolving mentions (community/messages/), and permission checks.

import type { Bus } from '../bus/bus.ts'
import type { MessageRepository } from '../community/messages/index.ts'
import type { Module } from '../events/module.ts'
import type { Logger } from '../http/log.ts'
import type { OnClose } from '../kit/clock.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import { createDeliveries } from './deliveries.ts'
import { deliveryRoutes } from './delivery-routes.ts'
import { createDuplicateFilter } from './github/github-duplicates.ts'
import { githubRoutes } from './github/github-routes.ts'
import { slackRoutes } from './slack/slack-routes.ts'
import { tokenResetRoutes } from './token-reset-routes.ts'
import type { Deps } from './webhook-deps.ts'
import { createWebhookGuard } from './webhook-guard.ts'
import { webhookMessageRoutes } from './webhook-message-routes.ts'
import { createWebhookMessages } from './webhook-messages.ts'
import { createWebhookRateLimits } from './webhook-rate-limits.ts'
import { webhookRoutes } from './webhook-routes.ts'
import { deleteDeliveriesOfChannel, deletePicturesOfChannel } from './webhook-store.ts'
import { createWebhookTokens } from './webhook-tokens.ts'
import { createWebhooks } from './webhooks.ts'

interface WebhooksDeps extends Deps {
  bus: Pick<Bus, 'requestKv'>
  rateLimiter: RateLimiter
  messages: MessageRepository
  logger: Pick<Logger, 'error'>
  onClose: OnClose
}

export function createWebhooksModule(deps: WebhooksDeps): Module<null> {
  const { clock, bus, logger, onClose } = deps
  const deliveries = createDeliveries(deps, err =>
    logger.error({ err }, 'writing the delivery log of a webhook failed'),
  )
  onClose(() => deliveries.close())
  const webhooks = createWebhooks(deps, deliveries.flush)
  const tokens = createWebhookTokens(deps)
  const messages = createWebhookMessages(deps)
  const rateLimits = createWebhookRateLimits(deps)
  const guard = createWebhookGuard({ tokens, rateLimits, deliveries, clock })
  return {
    api: null,
    routes: [
      ...webhookRoutes({ webhooks, messages, guard }),
      ...tokenResetRoutes(tokens),
      ...deliveryRoutes(deliveries),
      ...slackRoutes(messages, guard),
      ...githubRoutes(messages, guard, createDuplicateFilter(bus.requestKv)),
      ...webhookMessageRoutes(messages, guard),
    ],
    deletions: { channel: [deleteDeliveriesOfChannel, deletePicturesOfChannel] },
  }
}
