/** Keys of the query cache, which gateway events also update. */
export const keys = {
  gateway: ['gateway'],
  self: ['self'],
  servers: ['servers'],
  server: (serverId: string) => ['server', serverId],
  /** The servers that are offered to or by the user. */
  ownershipTransfers: ['ownership-transfers'],
  directChannels: ['direct'],
  /** The users and bots that the user blocks. */
  blocks: ['blocks'],
  channels: (serverId: string) => ['channels', serverId],
  members: (serverId: string) => ['members', serverId],
  /** The members who can view a channel. */
  viewers: (serverId: string, channelId: string) => ['members', serverId, channelId],
  memberPages: (serverId: string) => ['member-pages', serverId],
  member: (serverId: string, userId: string) => ['member', serverId, userId],
  roles: (serverId: string) => ['roles', serverId],
  auditLog: (serverId: string, filter: object) => ['audit-log', serverId, JSON.stringify(filter)],
  /** The prefix of the reports of a server in each state. */
  reports: (serverId: string) => ['reports', serverId],
  reportsIn: (serverId: string, state = '') => ['reports', serverId, state],
  bans: (serverId: string) => ['bans', serverId],
  invites: (serverId: string) => ['invites', serverId],
  /** What the page of an invite shows. */
  invitePreview: (code: string) => ['invite-preview', code],
  boundApplications: (serverId: string) => ['bound-applications', serverId],
  integrations: (serverId: string) => ['integrations', serverId],
  /** The newest messages. */
  latestMessages: (channelId: string) => ['messages', channelId],
  /** The prefix of the commands of all channels and of `commandPermissions`. */
  allCommands: ['commands'],
  commands: (channelId: string) => ['commands', channelId],
  /** The commands of the bots of a server, with their overrides. */
  commandPermissions: (serverId: string) => ['commands', 'permissions', serverId],
  webhooks: (channelId: string) => ['webhooks', channelId],
  deliveries: (webhookId: string) => ['deliveries', webhookId],
  sessions: ['sessions'],
  /** Below `sessions`: what changes the sign-in also invalidates them. */
  securityLog: ['sessions', 'log'],
  secondFactors: ['second-factors'],
  authorizations: ['authorizations'],
  /** The prefix of the users that an administrator has loaded. */
  allAdminUsers: ['admin-users'],
  adminUsers: (query: string) => ['admin-users', 'list', query],
  adminUser: (id: string) => ['admin-users', 'one', id],
  allAdminReports: ['admin-reports'],
  adminReports: (state = '') => ['admin-reports', state],
  /** Not below `allAdminReports`: the service records each request of it. */
  adminReport: (id: string) => ['admin-report', id],
  /** The prefixes of the servers and applications that an administrator has loaded. */
  allAdminServers: ['admin-servers'],
  adminServers: (query: string) => ['admin-servers', query],
  allAdminApplications: ['admin-applications'],
  adminApplications: (query: string) => ['admin-applications', query],
  instanceSettings: ['instance-settings'],
  adminHealth: ['admin-health'],
  instanceAuditLog: (filter: object) => ['instance-audit-log', JSON.stringify(filter)],
  applications: ['applications'],
  application: (id: string) => ['applications', id],
  registeredCommands: (applicationId: string) => ['applications', applicationId, 'commands'],
  interactions: (applicationId: string) => ['applications', applicationId, 'interactions'],
} as const
