/** The endpoints that the specification and the decisions define. A new endpoint must be added here. */
const specified = {
  'Sign-in': `
    GET POST    /oauth2/authorize
    POST        /api/oauth2/token
    POST        /api/oauth2/token/revoke
    POST        /api/oauth2/introspect
    GET POST    /api/oauth2/userinfo
    GET         /api/oauth2/keys
    GET         /.well-known/openid-configuration
    GET         /.well-known/oauth-authorization-server`,
  Users: `
    POST        /api/auth/register
    POST        /api/auth/login
    POST        /api/auth/logout
    POST        /api/auth/email/verify
    POST        /api/auth/email/resend
    POST        /api/auth/password/forgot
    POST        /api/auth/password/reset
    GET PATCH   /api/users/@me
    PUT DELETE  /api/users/@me/avatar
    GET         /api/users/@me/servers
    GET DELETE  /api/users/@me/sessions
    DELETE      /api/users/@me/sessions/:id
    GET         /api/users/@me/authorizations
    DELETE      /api/users/@me/authorizations/:applicationId
    POST        /api/users/@me/channels`,
  Servers: `
    POST        /api/servers
    GET PATCH DELETE /api/servers/:id
    GET POST    /api/servers/:id/channels
    GET PATCH DELETE /api/channels/:id
    PUT DELETE  /api/channels/:id/overwrites/:targetId
    GET         /api/servers/:id/members
    GET PATCH DELETE /api/servers/:id/members/:userId
    GET         /api/servers/:id/bans
    GET PUT DELETE /api/servers/:id/bans/:userId
    PUT DELETE  /api/servers/:id/members/:userId/roles/:roleId
    GET POST    /api/servers/:id/roles
    PATCH DELETE /api/servers/:id/roles/:roleId
    POST        /api/servers/:id/invites
    GET POST    /api/invites/:code
    GET         /api/servers/:id/integrations`,
  Messages: `
    GET POST    /api/channels/:id/messages
    GET PATCH DELETE /api/channels/:id/messages/:messageId`,
  Applications: `
    GET POST    /api/applications
    GET PATCH DELETE /api/applications/:id
    POST        /api/applications/:id/secret
    PUT         /api/applications/:id/icon
    POST        /api/applications/:id/bot
    POST        /api/applications/:id/bot/token
    GET         /api/applications/:id/interactions
    GET PUT     /api/applications/@me/commands
    GET PUT     /api/applications/@me/servers/:serverId/commands
    GET         /api/servers/:id/commands/permissions
    PUT         /api/servers/:id/commands/:commandId/permissions`,
  Interactions: `
    GET         /api/channels/:id/commands
    POST        /api/interactions
    POST        /api/interactions/autocomplete
    GET         /api/interactions/:id
    POST        /api/interactions/:id/:token/callback
    POST        /api/interactions/:id/:token/followup
    PATCH DELETE /api/interactions/:id/:token/followup/:messageId
    GET PATCH DELETE /api/interactions/:id/:token/original`,
  'Webhook management': `
    GET POST    /api/channels/:channelId/webhooks
    PATCH DELETE /api/channels/:channelId/webhooks/:id
    POST        /api/channels/:channelId/webhooks/:id/token
    GET         /api/channels/:channelId/webhooks/:id/deliveries`,
  // Also with a version of Discord's API in the path (webhooks/api-versions).
  Webhooks: `
    GET POST PATCH DELETE /api/webhooks/:id/:token
    POST        /api/webhooks/:id/:token/slack
    POST        /api/webhooks/:id/:token/github
    GET PATCH DELETE /api/webhooks/:id/:token/messages/:messageId`,
  Gateway: `
    GET         /api/gateway
    GET         /api/gateway/bot`,
  Operation: `
    GET         /healthz
    GET         /readyz
    GET         /metrics
    GET         /api/version
    GET         /api/openapi.json
    GET         /api/asyncapi.json
    GET         /docs /docs/ /docs/api /docs/guides /docs/api/:group
    GET         /docs/api/:group/:operation /docs/gateway /docs/gateway/:message /docs/objects
    GET         /docs/objects/:name /docs/errors /docs/guides/:guide /docs/search
    GET         /docs/style.css /docs/viewer.js`,
}

/** Endpoints for pages (sign-in/page-headers) and the web client. They are not part of the public API. */
const additional = {
  'Sign-in pages': `
    POST        /oauth2/consent
    GET         /oauth2/done
    GET POST    /login
    POST        /login/passkey
    GET POST    /login/second-factor
    GET         /second-factor.js
    GET         /language
    GET POST    /logout
    GET POST    /register
    GET POST    /forgot-password
    GET POST    /reset-password
    GET POST    /verify-email`,
  // docs/decisions/logout.md
  'Sign-out': `
    GET POST    /oauth2/logout
    POST        /oauth2/logout/confirm`,
  // docs/decisions/second-factor.md
  'Second factor': `
    POST        /api/auth/login/second-factor
    POST        /api/auth/login/second-factor/options
    GET         /api/users/@me/second-factors
    POST DELETE /api/users/@me/second-factors/totp
    POST        /api/users/@me/second-factors/totp/confirm
    POST        /api/users/@me/second-factors/passkeys
    POST        /api/users/@me/second-factors/passkeys/options
    POST        /api/users/@me/second-factors/passkeys/request-options
    DELETE      /api/users/@me/second-factors/passkeys/:id
    POST        /api/users/@me/second-factors/recovery-codes`,
  // docs/decisions/images.md
  Images: `
    GET         /images/:kind/:id/:hash
    GET         /media-proxy`,
  // docs/decisions/read-state.md
  'Read state': `
    PUT         /api/channels/:id/read`,
  // docs/decisions/server-settings.md
  'Server settings': `
    PUT DELETE  /api/servers/:id/icon
    GET         /api/servers/:id/invites
    DELETE      /api/invites/:code`,
  'Web client': `
    GET         /api/users/@me/channels
    GET         /api/applications/:id/commands
    POST        /api/applications/:id/try`,
}

export interface Endpoint {
  method: string
  path: string
}

export const specifiedRoutes = Object.values(specified).flatMap(parseEndpoints)
export const additionalRoutes = Object.values(additional).flatMap(parseEndpoints)

/** Parses lines of the form `GET POST /path /another-path`. */
function parseEndpoints(lines: string): Endpoint[] {
  return lines.split('\n').flatMap(line => {
    const methods = line.match(/\b[A-Z]+\b(?= )/g) ?? []
    const paths = line.match(/\/\S*/g) ?? []
    return paths.flatMap(path => methods.map(method => ({ method, path })))
  })
}

/** Equal for routes that differ only in the names of their parameters. */
function keyOf({ method, path }: Endpoint): string {
  return `${method} ${path.replace(/:\w+/g, ':')}`
}

/** Returns a line for each route that is missing or not specified. `tests/access` requests every route. */
export function compareRoutes(service: readonly Endpoint[], specified: readonly Endpoint[]): string[] {
  const existing = new Set(service.map(keyOf))
  const expected = new Set(specified.map(keyOf))
  return [
    ...[...expected.difference(existing)].map(key => `the service has no route ${key}`),
    ...[...existing.difference(expected)].map(key => `not in the specification: ${key}`),
  ]
}

export function checkRoutes(routes: readonly Endpoint[]): string[] {
  return compareRoutes(routes, [...specifiedRoutes, ...additionalRoutes])
}
