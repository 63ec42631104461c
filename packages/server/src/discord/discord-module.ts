// Owns Discord's API for bots that were written for it: its paths, objects, errors, gateway frames and signed requests.
// It translates them into operations and events of the other features.
// Does not own: any rule. Permissions, rates, caps, intents and visibility are those of the operations and events.
import type { Module } from '../events/module.ts'
import type { Operations } from '../http/operations.ts'
import type { InteractionsApi } from '../interactions/index.ts'
import type { Clock } from '../kit/clock.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import type { Database } from '../storage/database.ts'
import { createInteractionGuard } from './interaction-credentials.ts'
import { interactionResponseRoutes } from './interaction-response-routes.ts'

export interface DiscordDeps {
  db: Database
  clock: Clock
  operations: Operations
  interactions: InteractionsApi
  rateLimiter: RateLimiter
}

export function createDiscordModule(deps: DiscordDeps): Module<null> {
  const guard = createInteractionGuard(deps)
  return { api: null, routes: [...interactionResponseRoutes({ ...deps, guard })] }
}
