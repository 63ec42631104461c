/** Names of what the query cache holds; the gateway's events write to the same places. */
export const keys = {
  self: ['self'],
  servers: ['servers'],
  server: (serverId: string) => ['server', serverId],
  directChannels: ['direct'],
  channels: (serverId: string) => ['channels', serverId],
  members: (serverId: string) => ['members', serverId],
  roles: (serverId: string) => ['roles', serverId],
  integrations: (serverId: string) => ['integrations', serverId],
  commands: (channelId: string) => ['commands', channelId],
  webhooks: (channelId: string) => ['webhooks', channelId],
  sessions: ['sessions'],
  authorizations: ['authorizations'],
  applications: ['applications'],
  application: (id: string) => ['applications', id],
  interactions: (applicationId: string) => ['applications', applicationId, 'interactions'],
} as const
