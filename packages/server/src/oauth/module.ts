import type { Integrations } from '../applications/index.ts'
import type { Core, Module } from '../core.ts'
import type { Outgoing } from '../outgoing/index.ts'
import type { Sessions } from '../platform/sessions/index.ts'
import { deleteGrantsOfApplication, deleteGrantsOfUser } from './grants-store.ts'
import { createOAuth, type OAuth } from './index.ts'
import { authorizationsRoutes } from './routes/authorizations.ts'
import { authorizeRoutes } from './routes/authorize.ts'
import { consentRoutes } from './routes/consent.ts'
import { discoveryRoutes } from './routes/discovery.ts'
import { doneRoutes } from './routes/done.ts'
import { introspectRoutes } from './routes/introspect.ts'
import { keysRoutes } from './routes/keys.ts'
import { logoutRoutes } from './routes/logout.ts'
import { tokenRoutes } from './routes/token.ts'
import { userinfoRoutes } from './routes/userinfo.ts'

export function createOAuthModule(
  core: Core,
  deps: { sessions: Sessions; integrations: Integrations; outgoing: Pick<Outgoing, 'post'> },
): Module<OAuth> {
  const { config, logger, pages, formTokens } = core
  const oauth = createOAuth({
    ...core,
    ...deps,
    baseUrl: config.baseUrl,
    userinfoScope: config.userinfoScope,
    refreshGraceSeconds: config.refreshGraceSeconds,
    confirmUnverifiedApps: config.confirmUnverifiedApps,
    rateLimiter: core.rateLimiter,
    onError: err => logger.error({ err }, 'an authorization request failed'),
    onLogoutDeliveryFailure: failure => logger.warn(failure, 'a logout token could not be delivered'),
  })
  // The start does not wait for the first signing key. A request that needs the key does.
  const keyOpened = oauth
    .openSigningKey()
    .catch((err: unknown) => logger.error({ err }, 'the signing key could not be opened'))
  core.onClose(() => keyOpened)
  return {
    api: oauth,
    routes: [
      ...authorizeRoutes(oauth, pages, formTokens),
      ...consentRoutes(oauth, pages, formTokens),
      ...doneRoutes(oauth, pages),
      ...logoutRoutes(oauth, pages, formTokens, deps.sessions.sessionCookie),
      ...tokenRoutes(oauth),
      ...introspectRoutes(oauth),
      ...userinfoRoutes(oauth),
      ...keysRoutes(oauth),
      ...discoveryRoutes(oauth),
      ...authorizationsRoutes(oauth),
    ],
    sweeps: [oauth.sweep],
    subscribers: [
      {
        name: 'oauth',
        handlers: {
          // Consents remain, so that the applications get new tokens without the consent page.
          PasswordChanged: (tx, { userId }) => deleteGrantsOfUser(tx, userId),
          SessionEnded: (tx, { sessionId }) => oauth.notifySessionEnded(tx, sessionId),
          SecretReset: (tx, { applicationId }) => deleteGrantsOfApplication(tx, applicationId),
        },
      },
    ],
  }
}
