// Owns Discord's API for bots that were written for it: its paths, objects, errors, gateway frames and signed requests.
// It translates them into operations and events of the other features.
// Does not own: any rule. Permissions, rates, caps, intents and visibility are those of the operations and events.
import type { Module } from '../events/module.ts'
import { createNotFoundLimit } from '../webhooks/index.ts'
import { type DiscordRouteDeps, discordRoutes } from './discord-routes.ts'
import { createInteractionGuard } from './interaction-credentials.ts'
import { discordInteractionRoutes, type InteractionRouteDeps } from './routes/discord-interaction-routes.ts'

export type DiscordDeps = Omit<DiscordRouteDeps, 'notFoundLimit'> & Omit<InteractionRouteDeps, 'guard'>

export function createDiscordModule(options: DiscordDeps): Module<null> {
  const deps = { ...options, notFoundLimit: createNotFoundLimit(options) }
  const guard = createInteractionGuard(deps)
  return { api: null, routes: [...discordRoutes(deps), ...discordInteractionRoutes({ ...deps, guard })] }
}
