// Owns OAuth 2.0 and OpenID Connect: the authorization endpoint with the consent page, codes, tokens and their revocation,
// userinfo, introspection, signing keys, discovery, logout, and the list of authorized applications.
// Does not own: applications and their secrets (applications/), users, sessions and the sign-in page (platform/).

import type { Integrations } from '../applications/index.ts'
import type { Clock, OnClose, Timers } from '../kit/clock.ts'
import type { RateLimiter } from '../kit/rate-limiter.ts'
import type { Sealer } from '../kit/seal.ts'
import type { Outgoing } from '../outgoing/index.ts'
import type { Sessions } from '../platform/sessions/index.ts'
import type { Database, Transaction } from '../storage/database.ts'
import { listFormActions } from './authorization-request.ts'
import { createAuthorizations } from './authorizations.ts'
import { createAuthorizationEndpoint } from './authorize.ts'
import {
  createBackChannelLogout,
  type LogoutDeliveryFailure,
  signLogoutToken,
  takeRecipients,
} from './back-channel-logout.ts'
import { createClientAuthentication } from './client-authentication.ts'
import { createDiscovery } from './discovery.ts'
import { createGrants } from './grants.ts'
import { createIdTokens } from './id-token.ts'
import { createInstallation } from './installation.ts'
import { createIntrospectionEndpoint } from './introspect.ts'
import { createSigningKeys } from './keys.ts'
import { createLogoutEndpoint } from './logout.ts'
import { sweepOAuth } from './sweep.ts'
import { createTokenEndpoint } from './token.ts'
import { createUserinfoEndpoint } from './userinfo.ts'

export { rotateSigningKeys } from './keys.ts'

export type OAuth = ReturnType<typeof createOAuth>

export function createOAuth(deps: {
  db: Database
  clock: Clock
  timers: Timers
  ids: () => string
  sealer: Sealer
  baseUrl: string
  sessions: Pick<Sessions, 'findSession' | 'revokeSession'>
  outgoing: Pick<Outgoing, 'post'>
  integrations: Pick<Integrations, 'install' | 'isInstalled'>
  userinfoScope: 'identify' | 'openid'
  refreshGraceSeconds: number
  confirmUnverifiedApps: boolean
  rateLimiter: RateLimiter
  /** Internal errors that the user or the client does not see. */
  onError: (error: unknown) => void
  onLogoutDeliveryFailure: (failure: LogoutDeliveryFailure) => void
  onClose: OnClose
}) {
  const { db } = deps
  const keys = createSigningKeys(deps)
  const idTokens = createIdTokens({ ...deps, keys })
  const authenticateClient = createClientAuthentication(deps)
  const grants = createGrants(deps)
  const installation = createInstallation(deps)
  const backChannelLogout = createBackChannelLogout({
    ...deps,
    signToken: recipient => signLogoutToken({ ...deps, keys }, recipient),
    onFailure: deps.onLogoutDeliveryFailure,
  })
  deps.onClose(backChannelLogout.close)
  const { listPublicKeys, openSigningKey } = keys
  const { findInstallationNames } = installation
  return {
    ...createAuthorizationEndpoint({ ...deps, idTokens, installation }),
    ...createLogoutEndpoint({ ...deps, idTokens }),
    ...createAuthorizations(db),
    ...grants,
    issueTokens: createTokenEndpoint({ ...deps, authenticateClient, idTokens }),
    introspect: createIntrospectionEndpoint({ ...deps, authenticateClient }),
    userinfo: createUserinfoEndpoint({ ...deps, authenticateBearer: grants.authenticateBearer }),
    discovery: createDiscovery(deps.baseUrl),
    listPublicKeys,
    openSigningKey,
    findInstallationNames,
    /** See `listFormActions` in authorization-request.ts. */
    listFormActions: (path: string) => listFormActions(db, path),
    /** Sends logout tokens after the commit of the transaction that ended the session. */
    async notifySessionEnded(tx: Transaction, sessionId: string): Promise<void> {
      const recipients = await takeRecipients(tx, sessionId)
      if (recipients.length > 0) tx.afterCommit(() => backChannelLogout.send(recipients))
    },
    sweep: () => sweepOAuth(deps),
  }
}
