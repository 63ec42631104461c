/**
 * The operations of the API: method and path by operation id. Those of a group are declared in the file
 * `<group>-routes.ts` of the server. This module has no definitions, so that a client does not contain them.
 */
export const operationGroups = {
  register: {
    register: 'POST /api/auth/register',
  },
  login: {
    logIn: 'POST /api/auth/login',
    completeLogin: 'POST /api/auth/login/second-factor',
    createLoginPasskeyOptions: 'POST /api/auth/login/second-factor/options',
  },
  logout: {
    logOut: 'POST /api/auth/logout',
  },
  email: {
    verifyEmail: 'POST /api/auth/email/verify',
    resendVerificationEmail: 'POST /api/auth/email/resend',
  },
  password: {
    requestPasswordReset: 'POST /api/auth/password/forgot',
    resetPassword: 'POST /api/auth/password/reset',
  },
  user: {
    getCurrentUser: 'GET /api/users/@me',
    updateCurrentUser: 'PATCH /api/users/@me',
  },
  avatar: {
    setAvatar: 'PUT /api/users/@me/avatar',
    deleteAvatar: 'DELETE /api/users/@me/avatar',
  },
  session: {
    listSessions: 'GET /api/users/@me/sessions',
    endOtherSessions: 'DELETE /api/users/@me/sessions',
    revokeSession: 'DELETE /api/users/@me/sessions/:id',
  },
  'security-log': {
    listSecurityLog: 'GET /api/users/@me/security-log',
  },
  block: {
    listBlocks: 'GET /api/users/@me/blocks',
    createBlock: 'PUT /api/users/@me/blocks/:userId',
    deleteBlock: 'DELETE /api/users/@me/blocks/:userId',
  },
  'second-factor': {
    listSecondFactors: 'GET /api/users/@me/second-factors',
  },
  totp: {
    startTotp: 'POST /api/users/@me/second-factors/totp',
    confirmTotp: 'POST /api/users/@me/second-factors/totp/confirm',
    removeTotp: 'DELETE /api/users/@me/second-factors/totp',
  },
  passkey: {
    createPasskeyOptions: 'POST /api/users/@me/second-factors/passkeys/options',
    addPasskey: 'POST /api/users/@me/second-factors/passkeys',
    createPasskeyProofOptions: 'POST /api/users/@me/second-factors/passkeys/request-options',
    removePasskey: 'DELETE /api/users/@me/second-factors/passkeys/:id',
  },
  'recovery-code': {
    renewRecoveryCodes: 'POST /api/users/@me/second-factors/recovery-codes',
  },
  server: {
    createServer: 'POST /api/servers',
    getServer: 'GET /api/servers/:id',
    updateServer: 'PATCH /api/servers/:id',
    deleteServer: 'DELETE /api/servers/:id',
    listCurrentUserServers: 'GET /api/users/@me/servers',
  },
  'ownership-transfer': {
    listOwnershipTransfers: 'GET /api/users/@me/ownership-transfers',
    offerOwnership: 'PUT /api/servers/:id/ownership-transfer',
    acceptOwnership: 'POST /api/servers/:id/ownership-transfer',
    endOwnershipTransfer: 'DELETE /api/servers/:id/ownership-transfer',
  },
  'server-icon': {
    setServerIcon: 'PUT /api/servers/:id/icon',
    deleteServerIcon: 'DELETE /api/servers/:id/icon',
  },
  'audit-log': {
    listAuditLog: 'GET /api/servers/:id/audit-log',
  },
  channel: {
    listChannels: 'GET /api/servers/:id/channels',
    createChannel: 'POST /api/servers/:id/channels',
    moveChannels: 'PATCH /api/servers/:id/channels',
    getChannel: 'GET /api/channels/:id',
    updateChannel: 'PATCH /api/channels/:id',
    deleteChannel: 'DELETE /api/channels/:id',
    listDirectMessages: 'GET /api/users/@me/channels',
    openDirectMessage: 'POST /api/users/@me/channels',
    updateDirectMessage: 'PATCH /api/users/@me/channels/:id',
  },
  overwrite: {
    putOverwrite: 'PUT /api/channels/:id/overwrites/:targetId',
    deleteOverwrite: 'DELETE /api/channels/:id/overwrites/:targetId',
  },
  role: {
    listRoles: 'GET /api/servers/:id/roles',
    createRole: 'POST /api/servers/:id/roles',
    moveRoles: 'PATCH /api/servers/:id/roles',
    updateRole: 'PATCH /api/servers/:id/roles/:roleId',
    deleteRole: 'DELETE /api/servers/:id/roles/:roleId',
  },
  member: {
    listMembers: 'GET /api/servers/:id/members',
    getMember: 'GET /api/servers/:id/members/:userId',
    getCurrentUserMember: 'GET /api/users/@me/servers/:id/member',
    updateMember: 'PATCH /api/servers/:id/members/:userId',
    removeMember: 'DELETE /api/servers/:id/members/:userId',
  },
  'member-role': {
    addMemberRole: 'PUT /api/servers/:id/members/:userId/roles/:roleId',
    removeMemberRole: 'DELETE /api/servers/:id/members/:userId/roles/:roleId',
  },
  ban: {
    listBans: 'GET /api/servers/:id/bans',
    getBan: 'GET /api/servers/:id/bans/:userId',
    createBan: 'PUT /api/servers/:id/bans/:userId',
    createBans: 'POST /api/servers/:id/bans',
    deleteBan: 'DELETE /api/servers/:id/bans/:userId',
  },
  invite: {
    listInvites: 'GET /api/servers/:id/invites',
    createInvite: 'POST /api/servers/:id/invites',
    getInvite: 'GET /api/invites/:code',
    acceptInvite: 'POST /api/invites/:code',
    revokeInvite: 'DELETE /api/invites/:code',
  },
  message: {
    listMessages: 'GET /api/channels/:id/messages',
    createMessage: 'POST /api/channels/:id/messages',
    getMessage: 'GET /api/channels/:id/messages/:messageId',
    updateMessage: 'PATCH /api/channels/:id/messages/:messageId',
    deleteMessage: 'DELETE /api/channels/:id/messages/:messageId',
  },
  report: {
    reportMessage: 'POST /api/channels/:id/messages/:messageId/reports',
    reportMember: 'POST /api/servers/:id/members/:userId/reports',
    listReports: 'GET /api/servers/:id/reports',
    updateReport: 'PATCH /api/servers/:id/reports/:reportId',
  },
  'read-state': {
    markChannelRead: 'PUT /api/channels/:id/read',
  },
  application: {
    createApplication: 'POST /api/applications',
    listApplications: 'GET /api/applications',
    getApplication: 'GET /api/applications/:id',
    updateApplication: 'PATCH /api/applications/:id',
    updateOwnApplication: 'PATCH /api/applications/@me',
    deleteApplication: 'DELETE /api/applications/:id',
  },
  'application-icon': {
    setApplicationIcon: 'PUT /api/applications/:id/icon',
  },
  secret: {
    resetClientSecret: 'POST /api/applications/:id/secret',
  },
  bot: {
    createBot: 'POST /api/applications/:id/bot',
    resetBotToken: 'POST /api/applications/:id/bot/token',
  },
  command: {
    listApplicationCommands: 'GET /api/applications/:id/commands',
    listCommands: 'GET /api/applications/@me/commands',
    replaceCommands: 'PUT /api/applications/@me/commands',
    listServerCommands: 'GET /api/applications/@me/servers/:serverId/commands',
    replaceServerCommands: 'PUT /api/applications/@me/servers/:serverId/commands',
  },
  'command-permission': {
    listServerCommandPermissions: 'GET /api/servers/:id/commands/permissions',
    replaceServerCommandPermissions: 'PUT /api/servers/:id/commands/:commandId/permissions',
  },
  'bound-application': {
    listBoundApplications: 'GET /api/servers/:id/bound-applications',
    keepBoundApplication: 'PUT /api/servers/:id/bound-applications/:applicationId',
    endBoundApplication: 'DELETE /api/servers/:id/bound-applications/:applicationId',
  },
  integration: {
    listIntegrations: 'GET /api/servers/:id/integrations',
  },
  'sign-in-failure': {
    listSignInFailures: 'GET /api/applications/:id/sign-in-failures',
  },
  'available-command': {
    listAvailableCommands: 'GET /api/channels/:id/commands',
  },
  interaction: {
    createInteraction: 'POST /api/interactions',
    getInteraction: 'GET /api/interactions/:id',
    listInteractions: 'GET /api/applications/:id/interactions',
  },
  autocomplete: {
    autocompleteOption: 'POST /api/interactions/autocomplete',
  },
  'command-trial': {
    tryCommand: 'POST /api/applications/:id/try',
  },
  callback: {
    createCallback: 'POST /api/interactions/:id/:token/callback',
  },
  followup: {
    createFollowup: 'POST /api/interactions/:id/:token/followup',
    updateFollowup: 'PATCH /api/interactions/:id/:token/followup/:messageId',
    deleteFollowup: 'DELETE /api/interactions/:id/:token/followup/:messageId',
  },
  original: {
    getOriginalResponse: 'GET /api/interactions/:id/:token/original',
    updateOriginalResponse: 'PATCH /api/interactions/:id/:token/original',
    deleteOriginalResponse: 'DELETE /api/interactions/:id/:token/original',
  },
  webhook: {
    listWebhooks: 'GET /api/channels/:channelId/webhooks',
    listServerWebhooks: 'GET /api/servers/:id/webhooks',
    createWebhook: 'POST /api/channels/:channelId/webhooks',
    updateWebhook: 'PATCH /api/channels/:channelId/webhooks/:id',
    deleteWebhook: 'DELETE /api/channels/:channelId/webhooks/:id',
    executeWebhook: 'POST /api/webhooks/:id/:token',
    getWebhookByToken: 'GET /api/webhooks/:id/:token',
    updateWebhookByToken: 'PATCH /api/webhooks/:id/:token',
    deleteWebhookByToken: 'DELETE /api/webhooks/:id/:token',
  },
  'token-reset': {
    resetWebhookToken: 'POST /api/channels/:channelId/webhooks/:id/token',
  },
  delivery: {
    listDeliveries: 'GET /api/channels/:channelId/webhooks/:id/deliveries',
  },
  'webhook-message': {
    getWebhookMessage: 'GET /api/webhooks/:id/:token/messages/:messageId',
    updateWebhookMessage: 'PATCH /api/webhooks/:id/:token/messages/:messageId',
    deleteWebhookMessage: 'DELETE /api/webhooks/:id/:token/messages/:messageId',
  },
  slack: {
    executeSlackWebhook: 'POST /api/webhooks/:id/:token/slack',
  },
  github: {
    executeGithubWebhook: 'POST /api/webhooks/:id/:token/github',
  },
  authorize: {
    authorize: 'GET /oauth2/authorize',
    authorizeByForm: 'POST /oauth2/authorize',
  },
  token: {
    createToken: 'POST /api/oauth2/token',
    revokeToken: 'POST /api/oauth2/token/revoke',
  },
  introspection: {
    introspectToken: 'POST /api/oauth2/introspect',
  },
  userinfo: {
    getUserInfo: 'GET /api/oauth2/userinfo',
    getUserInfoByForm: 'POST /api/oauth2/userinfo',
  },
  'signing-key': {
    listKeys: 'GET /api/oauth2/keys',
  },
  discovery: {
    getOpenidConfiguration: 'GET /.well-known/openid-configuration',
    getAuthorizationServerMetadata: 'GET /.well-known/oauth-authorization-server',
  },
  'oauth-logout': {
    startLogout: 'GET /oauth2/logout',
    startLogoutByForm: 'POST /oauth2/logout',
  },
  authorization: {
    listAuthorizations: 'GET /api/users/@me/authorizations',
    revokeAuthorization: 'DELETE /api/users/@me/authorizations/:applicationId',
  },
  gateway: {
    getGateway: 'GET /api/gateway',
  },
  'bot-gateway': {
    getBotGateway: 'GET /api/gateway/bot',
  },
  image: {
    getImage: 'GET /images/:kind/:id/:hash',
  },
  'admin-user': {
    listAdminUsers: 'GET /api/admin/users',
    getAdminUser: 'GET /api/admin/users/:id',
    updateAdminUser: 'PATCH /api/admin/users/:id',
    endAdminUserSessions: 'DELETE /api/admin/users/:id/sessions',
    resetAdminUserSecondFactor: 'DELETE /api/admin/users/:id/second-factor',
  },
  'admin-report': {
    listAdminReports: 'GET /api/admin/reports',
    getAdminReport: 'GET /api/admin/reports/:id',
    updateAdminReport: 'PATCH /api/admin/reports/:id',
  },
  'admin-server': {
    listAdminServers: 'GET /api/admin/servers',
    updateAdminServer: 'PATCH /api/admin/servers/:id',
    deleteAdminServer: 'DELETE /api/admin/servers/:id',
  },
  'admin-application': {
    listAdminApplications: 'GET /api/admin/applications',
    updateAdminApplication: 'PATCH /api/admin/applications/:id',
    deleteAdminApplication: 'DELETE /api/admin/applications/:id',
  },
  'admin-setting': {
    getInstanceSettings: 'GET /api/admin/settings',
    updateInstanceSettings: 'PATCH /api/admin/settings',
    setInstanceLogo: 'PUT /api/admin/settings/logo',
    deleteInstanceLogo: 'DELETE /api/admin/settings/logo',
  },
  'admin-health': {
    getAdminHealth: 'GET /api/admin/health',
    sendTestMail: 'POST /api/admin/health/mail',
  },
  'admin-audit-log': {
    listInstanceAuditLog: 'GET /api/admin/audit-log',
  },
  health: {
    getHealth: 'GET /healthz',
    getReadiness: 'GET /readyz',
  },
  metrics: {
    getMetrics: 'GET /metrics',
  },
  version: {
    getVersion: 'GET /api/version',
  },
  openapi: {
    getOpenapi: 'GET /api/openapi.json',
  },
  asyncapi: {
    getAsyncapi: 'GET /api/asyncapi.json',
  },
} as const

/**
 * Pages and files for browsers, which the API document does not have. Groups are those of `<group>-routes.ts` or
 * `<group>-page.ts`.
 */
export const pageGroups = {
  login: { loginPage: 'GET /login', loginForm: 'POST /login' },
  passkey: { passkeyForm: 'POST /login/passkey' },
  'second-factor': {
    secondFactorPage: 'GET /login/second-factor',
    secondFactorForm: 'POST /login/second-factor',
  },
  script: { secondFactorScript: 'GET /second-factor.js' },
  register: { registerPage: 'GET /register', registerForm: 'POST /register' },
  'forgot-password': {
    forgotPasswordPage: 'GET /forgot-password',
    forgotPasswordForm: 'POST /forgot-password',
  },
  'reset-password': { resetPasswordPage: 'GET /reset-password', resetPasswordForm: 'POST /reset-password' },
  'verify-email': { verifyEmailPage: 'GET /verify-email', verifyEmailForm: 'POST /verify-email' },
  logout: { logoutPage: 'GET /logout', logoutForm: 'POST /logout' },
  language: { setLanguage: 'GET /language' },
  'authorize-link': { authorizeLink: 'GET /api/oauth2/authorize' },
  consent: { consentForm: 'POST /oauth2/consent' },
  installation: { installationPage: 'GET /oauth2/done' },
  'oauth-logout': { oauthLogoutForm: 'POST /oauth2/logout/confirm' },
  'media-proxy': { proxyMedia: 'GET /media-proxy' },
  cdn: {
    cdnAvatar: 'GET /avatars/:id/:file',
    cdnIcon: 'GET /icons/:id/:file',
    cdnApplicationIcon: 'GET /app-icons/:id/:file',
    cdnDefaultAvatar: 'GET /embed/avatars/:file',
  },
  docs: {
    docsPage: 'GET /docs',
    docsSlash: 'GET /docs/',
    docsReference: 'GET /docs/api',
    docsGuides: 'GET /docs/guides',
    docsGroup: 'GET /docs/api/:group',
    docsOperation: 'GET /docs/api/:group/:operation',
    docsGateway: 'GET /docs/gateway',
    docsMessage: 'GET /docs/gateway/:message',
    docsObjects: 'GET /docs/objects',
    docsObject: 'GET /docs/objects/:name',
    docsErrors: 'GET /docs/errors',
    docsGuide: 'GET /docs/guides/:guide',
    docsGuidePart: 'GET /docs/guides/:guide/:part',
    docsExample: 'GET /docs/examples/:file',
    docsScript: 'GET /docs/examples/alert.sh',
    docsSearch: 'GET /docs/search',
    docsStyle: 'GET /docs/style.css',
    docsViewer: 'GET /docs/viewer.js',
  },
} as const

type Flat<Groups> = UnionToIntersection<Groups[keyof Groups]>
type UnionToIntersection<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  member: infer All,
) => void
  ? All
  : never

type Operations = Flat<typeof operationGroups>
type Pages = Flat<typeof pageGroups>
type Endpoints = Operations & Pages

export type OperationId = keyof Operations
export type PageId = keyof Pages
export type EndpointId = OperationId | PageId

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const endpoints: Readonly<Record<EndpointId, string>> = Object.assign(
  {},
  ...Object.values(operationGroups),
  ...Object.values(pageGroups),
)

/** Whether the endpoint has an operation id, which names it in the API document. */
export function isOperation(id: EndpointId): id is OperationId {
  return Object.values(operationGroups).some(group => Object.hasOwn(group, id))
}

/** `path` has its parameters as `:id`. */
export function endpointOf(id: EndpointId): { method: Method; path: string } {
  const [method, path] = endpoints[id].split(' ') as [Method, string]
  return { method, path }
}

type SegmentParameter<Segment> = Segment extends `:${infer Name}` ? Name : never
type ParameterIn<Path extends string> = Path extends `${infer Segment}/${infer Rest}`
  ? SegmentParameter<Segment> | ParameterIn<Rest>
  : SegmentParameter<Path>

/** The names of the parameters in the path: `id` and `roleId` of `/api/servers/:id/roles/:roleId`. */
export type ParameterName<Id extends EndpointId> = ParameterIn<Endpoints[Id]>

export type PathParameters<Id extends EndpointId> = { [Name in ParameterName<Id>]: string }

/** The method of a request, and its path with the query. A member of the query that is undefined is absent. */
export function requestLine<Id extends EndpointId>(
  id: Id,
  request: PathParameters<Id> & { readonly query?: object | undefined },
): { method: Method; path: string } {
  const { method, path } = endpointOf(id)
  const parameters = request as Readonly<Record<string, unknown>>
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeSegment(String(parameters[name])))
  const query = Object.entries(request.query ?? {}).filter(([, value]) => value !== undefined)
  return { method, path: query.length === 0 ? filled : `${filled}?${new URLSearchParams(query)}` }
}

/** `@` needs no escape in a path (RFC 3986 §3.3), as in `@me`. */
function encodeSegment(text: string): string {
  return encodeURIComponent(text).replaceAll('%40', '@')
}
