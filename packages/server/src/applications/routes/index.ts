import type { Route } from '../../http/route.ts'
import type { Applications } from '../index.ts'
import { applicationsRoutes } from './applications.ts'
import { botRoutes } from './bot.ts'
import { commandsRoutes } from './commands.ts'
import { iconRoute } from './icon.ts'
import { integrationsRoute } from './integrations.ts'
import { secretRoute } from './secret.ts'

export function applicationRoutes(features: Applications): Route[] {
  return [
    ...applicationsRoutes(features),
    iconRoute(features),
    secretRoute(features),
    ...botRoutes(features),
    ...commandsRoutes(features),
    integrationsRoute(features),
  ]
}
