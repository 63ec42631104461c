// Owns Discord's API for bots that were written for it: its paths, objects, errors, gateway frames and signed requests.
// It translates them into operations and events of the other features.
// Does not own: any rule. Permissions, rates, caps, intents and visibility are those of the operations and events.
import type { Module } from '../events/module.ts'
import { type DiscordRouteDeps, discordRoutes } from './discord-routes.ts'
import { createInteractionGuard } from './interaction-credentials.ts'
import { discordInteractionRoutes, type InteractionRouteDeps } from './routes/discord-interaction-routes.ts'

export type DiscordDeps = DiscordRouteDeps & Omit<InteractionRouteDeps, 'guard'>

export function createDiscordModule(deps: DiscordDeps): Module<null> {
  const guard = createInteractionGuard(deps)
  return { api: null, routes: [...discordRoutes(deps), ...discordInteractionRoutes({ ...deps, guard })] }
}
