import type { User } from '@gatehouse/protocol/users'
import type { Operations } from '../http/operations.ts'
import type { Route } from '../http/route.ts'
import type { Timers } from '../kit/clock.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import type { Database } from '../storage/database.ts'
import { createBotRoute } from './bot-route.ts'
import { discordApplicationRoutes } from './routes/discord-application-routes.ts'
import { discordAuditLogRoutes } from './routes/discord-audit-log-routes.ts'
import { discordBanRoutes } from './routes/discord-ban-routes.ts'
import { discordBulkBanRoutes } from './routes/discord-bulk-ban-routes.ts'
import { discordChannelRoutes } from './routes/discord-channel-routes.ts'
import { type CommandRouteDeps, discordCommandRoutes } from './routes/discord-command-routes.ts'
import { discordEmptyListRoutes } from './routes/discord-empty-list-routes.ts'
import { discordGatewayRoutes } from './routes/discord-gateway-routes.ts'
import { discordGuildRoutes } from './routes/discord-guild-routes.ts'
import { discordIntegrationRoutes } from './routes/discord-integration-routes.ts'
import { discordInviteRoutes, type InviteRouteDeps } from './routes/discord-invite-routes.ts'
import { discordMemberRoutes } from './routes/discord-member-routes.ts'
import { discordMessageRoutes, type MessageRouteDeps } from './routes/discord-message-routes.ts'
import { discordRoleRoutes } from './routes/discord-role-routes.ts'
import { discordUserRoutes } from './routes/discord-user-routes.ts'
import { discordWebhookRoutes, type WebhookRouteDeps } from './routes/discord-webhook-routes.ts'

export interface DiscordRouteDeps
  extends MessageRouteDeps,
    CommandRouteDeps,
    InviteRouteDeps,
    WebhookRouteDeps {
  db: Database
  timers: Timers
  operations: Operations
  rateLimiter: RateLimiter
  baseUrl: string
  /** 404 for a user whom the caller shares no server with. */
  getUser: (callerId: string, userId: string) => Promise<User>
}

/** The routes of bots, but those of responses to interactions, which have another credential. */
export function discordRoutes(deps: DiscordRouteDeps): Route[] {
  const botRoute = createBotRoute(deps)
  return [
    ...discordGatewayRoutes(botRoute, deps),
    ...discordUserRoutes(botRoute, deps),
    ...discordApplicationRoutes(botRoute, deps),
    ...discordChannelRoutes(botRoute),
    ...discordMessageRoutes(botRoute, deps),
    ...discordGuildRoutes(botRoute, deps),
    ...discordMemberRoutes(botRoute, deps),
    ...discordRoleRoutes(botRoute),
    ...discordBanRoutes(botRoute),
    ...discordBulkBanRoutes(botRoute),
    ...discordIntegrationRoutes(botRoute, deps),
    ...discordInviteRoutes(botRoute, deps),
    ...discordAuditLogRoutes(botRoute, deps),
    ...discordWebhookRoutes(botRoute, deps),
    ...discordCommandRoutes(botRoute, deps),
    ...discordEmptyListRoutes(botRoute),
  ]
}
