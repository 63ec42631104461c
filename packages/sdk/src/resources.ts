import type { MessageData } from './reply.ts'
import type { Channel, Member, Message, Overwrite, RegisteredCommand, Role, Server, User } from './types.ts'

type AnyUser = User & { bot: boolean }

/** A page of a list: the entries that are older than `before` or newer than `after`. */
export interface PageQuery {
  before?: string
  after?: string
  /** 1 to 100. Default: 50. */
  limit?: number
}

/** A server of the bot, with the bot's permissions there as a decimal bit field. */
export interface OwnServer extends Omit<Server, 'ownerId'> {
  owner: boolean
  permissions: string
}

/** A new message. A repeated request with the same `nonce` has no effect; the SDK sets it if it is absent. */
export interface NewMessage extends MessageData {
  nonce?: string
}

export interface ChannelData {
  /** 1 to 100 characters. */
  name: string
  /** Up to 1024 characters; null for none. */
  topic?: string | null
}

export interface ChannelChanges extends Partial<ChannelData> {
  position?: number
}

export interface RoleData {
  name: string
  /** A decimal bit field; only permissions that the bot has. */
  permissions: string
  /** 0xRRGGBB; 0 for none. */
  color?: number
  /** The rank of the role: a higher one is above. */
  position?: number
}

export type ServerMember = Omit<Member, 'serverId'>

export interface MemberChanges {
  /** When the time-out ends, at most 28 days from now: ISO 8601. Null ends it. */
  timedOutUntil: string | null
}

export interface Ban {
  user: AnyUser
  reason: string | null
}

export interface BanData {
  /** Up to 512 characters; members with BAN_MEMBERS see it. */
  reason?: string | null
  /** Deletes the messages that the user sent on the server in the last seconds, up to 7 days. */
  deleteMessageSeconds?: number
}

/** Whether a role or member may use a command, or whether it may be used in a channel. */
export interface CommandOverride {
  type: 'role' | 'user' | 'channel'
  /** The id of the server is the role @everyone, or all channels. */
  id: string
  allow: boolean
}

/** A command on a server, with the overrides of this server. */
export interface ServerCommand extends RegisteredCommand {
  overrides: CommandOverride[]
}

export interface InviteData {
  /** Unlimited if absent. */
  maxUses?: number
  /** In seconds. Default: 7 days. */
  expiresIn?: number
}

export interface Invite {
  code: string
  expiresAt: string
}

export interface ServerInvite extends Invite {
  creator: AnyUser
  uses: number
  /** Null if unlimited. */
  maxUses: number | null
  createdAt: string
}

export interface InvitePreview extends Invite {
  server: Omit<Server, 'ownerId'>
  /** Without bots. */
  memberCount: number
  /** Whether a visitor can create an account with the invite. */
  mayRegister: boolean
}

/** An application on a server. */
export interface Integration {
  application: { id: string; name: string; icon: string | null }
  bot: AnyUser
  scopes: string[]
  /** A decimal bit field. */
  permissions: string
  addedBy: AnyUser
  addedAt: string
}

export interface WebhookData {
  /** 1 to 80 characters. */
  name: string
  /** An http or https URL; null for none. */
  avatar?: string | null
}

export interface WebhookChanges extends Partial<WebhookData> {
  /** Moves the webhook to this channel of its server. */
  channelId?: string
}

/**
 * A webhook of a channel. `token` and `url` are secrets, because anyone with the URL can send messages. They are null for
 * everyone but `createdBy`: the user who created the webhook or last replaced its token.
 */
export interface ChannelWebhook {
  id: string
  channelId: string
  serverId: string
  name: string
  avatar: string | null
  token: string | null
  url: string | null
  createdBy: AnyUser
  createdAt: string
  lastUsedAt: string | null
}

/** The result of one request to a webhook. */
export interface WebhookDelivery {
  id: string
  at: string
  route: 'message' | 'slack' | 'github'
  status: number
  messageId: string | null
  reason: string | null
  field: string | null
  body: string | null
}

export interface BotGateway {
  url: string
  /** The advised number of shards. */
  shards: number
  maxConnections: number
}

/** The endpoints of the service that a bot may use, by resource. The arguments are those of the path, then the body or the query. */
export interface Resources {
  users: {
    /** The bot itself. */
    me(): Promise<AnyUser>
  }
  servers: {
    list(): Promise<OwnServer[]>
    get(serverId: string): Promise<Server>
    update(serverId: string, changes: { name?: string }): Promise<Server>
    /** `image` is a PNG, JPEG, GIF or WebP, with its type. */
    setIcon(serverId: string, image: Blob): Promise<Server>
    deleteIcon(serverId: string): Promise<Server>
    integrations(serverId: string): Promise<Integration[]>
  }
  channels: {
    list(serverId: string): Promise<Channel[]>
    create(serverId: string, channel: ChannelData): Promise<Channel>
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
    create(channelId: string, message: string | NewMessage): Promise<Message>
    get(channelId: string, messageId: string): Promise<Message>
    update(channelId: string, messageId: string, message: string | MessageData): Promise<Message>
    delete(channelId: string, messageId: string): Promise<void>
  }
  roles: {
    list(serverId: string): Promise<Role[]>
    create(serverId: string, role: RoleData): Promise<Role>
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
    delete(serverId: string, userId: string): Promise<void>
  }
  invites: {
    list(serverId: string, query?: { limit?: number }): Promise<ServerInvite[]>
    create(serverId: string, invite?: InviteData): Promise<Invite>
    get(code: string): Promise<InvitePreview>
    revoke(code: string): Promise<void>
  }
  webhooks: {
    list(channelId: string): Promise<ChannelWebhook[]>
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
