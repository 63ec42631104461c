import type { Route } from '../../http/route.ts'
import { authorizationsRoutes } from './authorizations.ts'
import { authorizeRoutes } from './authorize.ts'
import { consentRoute } from './consent.ts'
import type { OAuthRouteDeps } from './deps.ts'
import { discoveryRoutes } from './discovery.ts'
import { doneRoute } from './done.ts'
import { introspectRoute } from './introspect.ts'
import { keysRoute } from './keys.ts'
import { logoutRoutes } from './logout.ts'
import { revokeRoute } from './revoke.ts'
import { tokenRoute } from './token.ts'
import { userinfoRoutes } from './userinfo.ts'

export function oauthRoutes(deps: OAuthRouteDeps): Route[] {
  return [
    ...authorizeRoutes(deps),
    consentRoute(deps),
    doneRoute(deps),
    ...logoutRoutes(deps),
    tokenRoute(deps),
    revokeRoute(deps),
    introspectRoute(deps),
    ...userinfoRoutes(deps),
    keysRoute(deps),
    ...discoveryRoutes(deps),
    ...authorizationsRoutes(deps),
  ]
}
