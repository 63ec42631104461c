import type { Route } from '../../http/route.ts'
import type { Webhooks } from '../index.ts'
import { createDoor } from './door.ts'
import { executeRoutes } from './execute.ts'
import { githubRoutes } from './github.ts'
import { logRoute } from './log.ts'
import { manageRoutes } from './manage.ts'
import { messageRoutes } from './message.ts'
import { slackRoutes } from './slack.ts'
import { webhookRoutesByToken } from './webhook.ts'

export function webhookRoutes({ webhooks }: { webhooks: Webhooks }): Route[] {
  const door = createDoor(webhooks)
  return [
    ...manageRoutes(webhooks),
    logRoute(webhooks),
    ...executeRoutes(webhooks, door),
    ...slackRoutes(webhooks, door),
    ...githubRoutes(webhooks, door),
    ...webhookRoutesByToken(webhooks, door),
    ...messageRoutes(webhooks, door),
  ]
}
