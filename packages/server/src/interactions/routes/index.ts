import type { Route } from '../../http/route.ts'
import type { Interactions } from '../index.ts'
import { callbackRoute } from './callback.ts'
import { commandsRoute } from './commands.ts'
import { followupRoute } from './followup.ts'
import { interactionsRoute } from './interactions.ts'
import { logRoute } from './log.ts'
import { originalRoute } from './original.ts'
import { tryRoute } from './try.ts'

export function interactionRoutes(deps: { interactions: Interactions }): Route[] {
  return [
    commandsRoute(deps),
    ...interactionsRoute(deps),
    callbackRoute(deps),
    ...followupRoute(deps),
    ...originalRoute(deps),
    logRoute(deps),
    tryRoute(deps),
  ]
}
