import type { Route } from '../../../http/route.ts'
import type { Invites } from '../index.ts'
import { inviteRoute } from './invite.ts'
import { invitesRoute } from './invites.ts'

export function inviteRoutes(deps: { invites: Invites }): Route[] {
  return [...invitesRoute(deps), ...inviteRoute(deps)]
}
