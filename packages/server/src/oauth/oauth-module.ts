import type { Sessions } from '../accounts/sessions/index.ts'
import type { Module } from '../events/module.ts'
import type { FormTokens, Pages } from '../http/html-pages.ts'
import type { Logger } from '../http/log.ts'
import type { OnClose } from '../kit/clock.ts'
import { createAdmissionHandlers } from './admission-loss.ts'
import { listFormActions } from './authorization-request.ts'
import { authorizationRoutes } from './authorization-routes.ts'
import { createAuthorizations } from './authorizations.ts'
import { createAuthorizationEndpoint } from './authorize.ts'
import { authorizeLinkRoute } from './authorize-link-routes.ts'
import { authorizeRoutes } from './authorize-routes.ts'
import {
  createBackChannelLogout,
  listRecipients,
  signLogoutToken,
  toRecipients,
} from './back-channel-logout.ts'
import { deleteSignIns } from './back-channel-logout-store.ts'
import { createClientAuthentication } from './client-authentication.ts'
import { consentRoutes } from './consent-routes.ts'
import { discoveryRoutes } from './discovery-routes.ts'
import { revokeGrants, revokeGrantsAndConsents } from './grant-revocation-store.ts'
import { createGrants, type Grants } from './grants.ts'
import { createIdTokens } from './id-token.ts'
import { createInstallation } from './installation.ts'
import { installationRoutes } from './installation-routes.ts'
import { createIntrospectionEndpoint } from './introspection.ts'
import { introspectionRoute } from './introspection-routes.ts'
import { deletions } from './oauth-deletion-store.ts'
import type { Deps } from './oauth-deps.ts'
import { createLogoutEndpoint } from './oauth-logout.ts'
import { oauthLogoutRoutes } from './oauth-logout-routes.ts'
import { sweepOAuth } from './oauth-sweep.ts'
import { signInFailureRoute } from './sign-in-failure-routes.ts'
import { createSignInFailures } from './sign-in-failures.ts'
import { signingKeyRoute } from './signing-key-routes.ts'
import { createSigningKeys } from './signing-keys.ts'
import { tokenRoutes } from './token-routes.ts'
import { createTokenEndpoint } from './tokens.ts'
import { createUserinfoEndpoint } from './userinfo.ts'
import { userinfoRoutes } from './userinfo-routes.ts'

interface OAuthApi {
  authenticateBearer: Grants['authenticateBearer']
  /** See `listFormActions` in authorization-request.ts. */
  listFormActions: (path: string) => Promise<string[]>
  /** Rejects if the current key was sealed with another SECRET_KEY. */
  openSigningKey: () => Promise<void>
}

interface OAuthDeps extends Omit<Deps, 'onError'> {
  sessions: Sessions
  pages: Pages
  formTokens: FormTokens
  logger: Pick<Logger, 'error' | 'warn'>
  onClose: OnClose
}

export function createOAuthModule(options: OAuthDeps): Module<OAuthApi> {
  const { db, baseUrl, sessions, pages, formTokens, logger, onClose } = options
  const deps: Deps = {
    ...options,
    onError: err => logger.error({ err }, 'an authorization request failed'),
  }
  const failures = createSignInFailures({
    ...deps,
    onError: err => logger.error({ err }, 'writing the failures of sign-ins failed'),
  })
  onClose(() => failures.close())
  const keys = createSigningKeys(deps)
  const idTokens = createIdTokens(deps, keys)
  const grants = createGrants(deps)
  const installation = createInstallation(deps)
  const authorization = createAuthorizationEndpoint({ ...deps, failures }, idTokens, installation)
  const logout = createLogoutEndpoint(deps, idTokens)
  const authentication = createClientAuthentication(deps)
  const grantTokens = createTokenEndpoint(
    { ...deps, idTokens, failures, refreshes: deps.rateLimiter.window('refreshes') },
    authentication,
  )
  const backChannelLogout = createBackChannelLogout({
    ...deps,
    onError: err => logger.error({ err }, 'a back-channel logout failed'),
    signToken: recipient => signLogoutToken(deps, keys, recipient),
    onFailure: failure => logger.warn(failure, 'a logout token could not be delivered'),
  })
  onClose(backChannelLogout.close)
  // The start does not wait for the first signing key. A request that needs the key does.
  const keyOpened = keys
    .openSigningKey()
    .catch((err: unknown) => logger.error({ err }, 'the signing key could not be opened'))
  onClose(() => keyOpened)
  return {
    api: {
      authenticateBearer: grants.authenticateBearer,
      listFormActions: path => listFormActions(db, path),
      openSigningKey: keys.openSigningKey,
    },
    routes: [
      ...authorizeRoutes(authorization, pages, formTokens, baseUrl),
      authorizeLinkRoute({ db: deps.db, pages }),
      ...consentRoutes(authorization, pages, formTokens, baseUrl),
      ...installationRoutes(installation, pages),
      ...oauthLogoutRoutes(logout, pages, formTokens, sessions.sessionCookie),
      ...tokenRoutes(grantTokens, grants),
      introspectionRoute(createIntrospectionEndpoint(deps, authentication)),
      ...userinfoRoutes(createUserinfoEndpoint(deps, grants)),
      signingKeyRoute(keys),
      ...discoveryRoutes(baseUrl),
      ...authorizationRoutes(createAuthorizations(deps)),
      signInFailureRoute(failures),
    ],
    sweeps: [() => sweepOAuth(deps)],
    deletions,
    subscribers: [
      {
        name: 'oauth',
        handlers: {
          // Consents remain, so that the applications get new tokens without the consent page.
          PasswordChanged: (tx, { userId }) => revokeGrants(tx, { userId }, deps.ids()),
          TokensRevoked: (tx, { userId }) => revokeGrants(tx, { userId }, deps.ids()),
          VerifiedByReset: (tx, { userId }) => revokeGrantsAndConsents(tx, userId, deps.ids()),
          UserDisabled: async (tx, { userId }) => {
            const recipients = await listRecipients(tx, userId)
            tx.afterCommit(() => backChannelLogout.send(recipients))
          },
          SessionEnded: async (tx, { sessionId }) => {
            const recipients = toRecipients(await deleteSignIns(tx, sessionId))
            tx.afterCommit(() => backChannelLogout.send(recipients))
          },
          SecretReset: (tx, { applicationId }) => revokeGrants(tx, { applicationId }, deps.ids()),
          ...createAdmissionHandlers(deps, backChannelLogout),
        },
      },
    ],
  }
}
