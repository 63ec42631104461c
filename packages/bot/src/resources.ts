import type { MessageData } from './reply.ts'
import type {
  AnyUser,
  AuditLogEntry,
  Ban,
  BanData,
  BansData,
  BotGateway,
  Channel,
  ChannelChanges,
  ChannelData,
  ChannelMove,
  ChannelWebhook,
  CommandOverride,
  CreatedBans,
  Integration,
  Invite,
  InviteData,
  InvitePreview,
  MemberChanges,
  Message,
  Overwrite,
  OwnApplication,
  OwnApplicationChanges,
  OwnServer,
  Report,
  ReportDetails,
  Role,
  RoleData,
  RoleMove,
  Server,
  ServerChanges,
  ServerCommand,
  ServerInvite,
  ServerMember,
  WebhookChanges,
  WebhookData,
  WebhookDelivery,
} from './types.ts'

/** A page of a list: the entries that are older than `before` or newer than `after`. */
export interface PageQuery {
  before?: string
  after?: string
  /** 1 to 100. Default: 50. */
  limit?: number
}

/** A new message. A repeated request with the same `nonce` has no effect; the SDK sets it if it is absent. */
export interface NewMessage extends MessageData {
  nonce?: string
}

/**
 * The endpoints of the service that a bot may use, by resource. The arguments are the ids of the path, then the body or
 * the query as an object: no text can be taken for an id.
 */
export interface Resources {
  users: {
    /** The bot itself. */
    me(): Promise<AnyUser>
  }
  application: {
    /** The bot changes its display name and avatar, and the description of its application, twice an hour. */
    update(changes: OwnApplicationChanges): Promise<OwnApplication>
  }
  servers: {
    list(): Promise<OwnServer[]>
    get(serverId: string): Promise<Server>
    update(serverId: string, changes: ServerChanges): Promise<Server>
    /** `image` is a PNG, JPEG, GIF or WebP, with its type. */
    setIcon(serverId: string, image: Blob): Promise<Server>
    deleteIcon(serverId: string): Promise<Server>
    integrations(serverId: string): Promise<Integration[]>
  }
  /** Needs VIEW_AUDIT_LOG. */
  auditLog: {
    /** Newest first. */
    list(
      serverId: string,
      query?: PageQuery & { userId?: string; targetId?: string; action?: AuditLogEntry['action'] },
    ): Promise<AuditLogEntry[]>
  }
  /** Need KICK_MEMBERS, BAN_MEMBERS, MANAGE_MESSAGES or MODERATE_MEMBERS. */
  reports: {
    /** Newest first. */
    list(
      serverId: string,
      query?: Omit<PageQuery, 'after'> & { state?: Report['state'] },
    ): Promise<ReportDetails[]>
    update(serverId: string, reportId: string, changes: { state: Report['state'] }): Promise<Report>
  }
  channels: {
    list(serverId: string): Promise<Channel[]>
    create(serverId: string, channel: ChannelData): Promise<Channel>
    /** Changes the order of channels and their categories. */
    move(serverId: string, moves: ChannelMove[]): Promise<void>
    get(channelId: string): Promise<Channel>
    update(channelId: string, changes: ChannelChanges): Promise<Channel>
    delete(channelId: string): Promise<void>
    /** `targetId` is the id of a role or member. */
    putOverwrite(channelId: string, targetId: string, overwrite: Omit<Overwrite, 'id'>): Promise<void>
    deleteOverwrite(channelId: string, targetId: string): Promise<void>
  }
  directMessages: {
    list(query?: PageQuery): Promise<Channel[]>
    /** The recipient shares a server with the bot. */
    open(recipient: { recipientId: string }): Promise<Channel>
  }
  messages: {
    list(channelId: string, query?: PageQuery): Promise<Message[]>
    create(channelId: string, message: NewMessage): Promise<Message>
    get(channelId: string, messageId: string): Promise<Message>
    update(channelId: string, messageId: string, message: MessageData): Promise<Message>
    delete(channelId: string, messageId: string): Promise<void>
  }
  roles: {
    list(serverId: string): Promise<Role[]>
    create(serverId: string, role: RoleData): Promise<Role>
    /** Gives roles their places in the order of all roles. Returns all roles from @everyone. */
    move(serverId: string, moves: RoleMove[]): Promise<Role[]>
    update(serverId: string, roleId: string, changes: Partial<RoleData>): Promise<Role>
    delete(serverId: string, roleId: string): Promise<void>
  }
  members: {
    /** With `channelId`, only those who can view the channel. */
    list(serverId: string, query?: PageQuery & { channelId?: string }): Promise<ServerMember[]>
    get(serverId: string, userId: string): Promise<ServerMember>
    /** Times out a member, or ends the time-out. */
    update(serverId: string, userId: string, changes: MemberChanges): Promise<ServerMember>
    /** Kicks the member; `@me` leaves the server. */
    remove(serverId: string, userId: string): Promise<void>
    addRole(serverId: string, userId: string, roleId: string): Promise<void>
    removeRole(serverId: string, userId: string, roleId: string): Promise<void>
  }
  /** Who may use the commands of all bots of the server, and where. Both need MANAGE_SERVER. */
  commandPermissions: {
    list(serverId: string): Promise<ServerCommand[]>
    /** Replaces all overrides of a command. The bot must be allowed to use the command itself. */
    replace(
      serverId: string,
      commandId: string,
      overrides: readonly CommandOverride[],
    ): Promise<ServerCommand>
  }
  bans: {
    list(serverId: string, query?: PageQuery): Promise<Ban[]>
    get(serverId: string, userId: string): Promise<Ban>
    create(serverId: string, userId: string, ban?: BanData): Promise<void>
    /** Up to 200 users. Their messages are deleted after the response. Also needs MANAGE_SERVER. */
    createMany(serverId: string, bans: BansData): Promise<CreatedBans>
    delete(serverId: string, userId: string): Promise<void>
  }
  invites: {
    list(serverId: string, query?: { limit?: number; channelId?: string }): Promise<ServerInvite[]>
    create(serverId: string, invite?: InviteData): Promise<Invite>
    get(code: string): Promise<InvitePreview>
    revoke(code: string): Promise<void>
  }
  webhooks: {
    list(channelId: string): Promise<ChannelWebhook[]>
    /** Of the channels in which the bot has MANAGE_WEBHOOKS. */
    listOfServer(serverId: string): Promise<ChannelWebhook[]>
    create(channelId: string, webhook: WebhookData): Promise<ChannelWebhook>
    update(channelId: string, webhookId: string, changes: WebhookChanges): Promise<ChannelWebhook>
    delete(channelId: string, webhookId: string): Promise<void>
    resetToken(channelId: string, webhookId: string): Promise<ChannelWebhook>
    deliveries(channelId: string, webhookId: string): Promise<WebhookDelivery[]>
  }
  gateway: {
    get(): Promise<BotGateway>
  }
}
