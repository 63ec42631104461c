import type { InferOutput } from 'valibot'
import type { Op } from './gateway-codes.ts'
import type { botEvents, userEvents } from './gateway-events.ts'
import type { Intent } from './intents.ts'
import { maxShards } from './limits.ts'
import type { PermissionName } from './permissions.ts'
import type { Shard } from './shards.ts'
import { integer, object, type Schema, string } from './wire.ts'

/** `GET /api/gateway`. */
export const GatewayResponse = object(
  { url: string('The URL for a WebSocket: `wss://…`.', { format: 'uri' }) },
  'The URL of the gateway.',
)
export type GatewayResponse = InferOutput<typeof GatewayResponse>

/** `GET /api/gateway/bot`. */
export const BotGatewayResponse = object(
  {
    ...GatewayResponse.entries,
    shards: integer('The advised number of shards: one for 1,000 servers of the bot.', {
      min: 1,
      max: maxShards,
    }),
    maxConnections: integer('How many connections the bot may have to one node of the service.', { min: 1 }),
  },
  'The URL of the gateway, and how a bot connects to it.',
)
export type BotGatewayResponse = InferOutput<typeof BotGatewayResponse>

export const gatewayPath = '/api/gateway/ws'

export { CloseCode, Op } from './gateway-codes.ts'

/** Frames of the server. */
export interface HelloFrame {
  op: typeof Op.hello
  d: { heartbeatInterval: number }
}
export interface HeartbeatAckFrame {
  op: typeof Op.heartbeatAck
}
export interface ReconnectFrame {
  op: typeof Op.reconnect
}
export interface InvalidSessionFrame {
  op: typeof Op.invalidSession
  d: false
}
export type DispatchFrame<Events = EventMap> = {
  [Name in keyof Events & string]: { op: typeof Op.dispatch; s: number; t: Name; d: Events[Name] }
}[keyof Events & string]

export type ServerFrame<Events = EventMap> =
  | HelloFrame
  | HeartbeatAckFrame
  | ReconnectFrame
  | InvalidSessionFrame
  | DispatchFrame<Events>

/** Frames of the client. A bot identifies with its token, the web client of a user with its cookie. */
export interface HeartbeatFrame {
  op: typeof Op.heartbeat
  /** The last `s` received. */
  d: number | null
}
export interface IdentifyFrame {
  op: typeof Op.identify
  /** `intents` and `shard`: only of a bot (gateway/intents, gateway/shards). */
  d: { token?: string; intents?: readonly Intent[]; shard?: Shard }
}
export interface ResumeFrame {
  op: typeof Op.resume
  d: { token?: string; sessionId: string; seq: number }
}
export type ClientFrame = HeartbeatFrame | IdentifyFrame | ResumeFrame

export type { Ready } from './gateway-events.ts'

type Payloads<Schemas> = {
  [Name in keyof Schemas]: Schemas[Name] extends Schema ? InferOutput<Schemas[Name]> : never
}

/** All events of a bot. Which of them it receives, its intents decide (gateway/intents). */
export type BotEventMap = Payloads<typeof botEvents>

/** The events of a user: only what they may view at that time (gateway/event-payloads). */
export type UserEventMap = Payloads<typeof userEvents>

export interface EventMap extends BotEventMap, UserEventMap {}
export type EventName = keyof EventMap

/** One event with its payload. `t` decides the type of `d`. */
export type GatewayEvent<Name extends EventName = EventName> = {
  [N in Name]: { t: N; d: EventMap[N] }
}[Name]

/** The recipients of an event: one user, the members who may view one channel, or the members of one server. */
export type EventScope = 'user' | 'channel' | 'server'

export interface EventRule<Payload> {
  scopes: readonly EventScope[]
  /** Of an event of a server: only members who may view this channel receive it. Undefined: all members. */
  channelId?: (payload: Payload) => string
  /**
   * The members who may see other channels after the event: all, or one user. The gateway computes again who may view
   * which channels, before it sends this event and those after it.
   */
  changesViewOf?: 'members' | ((payload: Payload) => string)
  /** The user who is no longer a member. */
  removedUserId?: (payload: Payload) => string
  /** Users do not receive the event. */
  onlyForBots?: true
}

/**
 * The events that features publish. READY, RESUMED and INTERACTION_CREATE go to one gateway session, not to a scope.
 */
type PublishedName = Exclude<EventName, 'READY' | 'RESUMED' | 'INTERACTION_CREATE'>

export type EventRules = { readonly [Name in PublishedName]: EventRule<EventMap[Name]> }

const channelRule = {
  scopes: ['server', 'user'],
  channelId: (channel: { id: string }) => channel.id,
  changesViewOf: 'members',
} as const

const inChannelRule = {
  scopes: ['server'],
  channelId: (payload: { channelId: string }) => payload.channelId,
  onlyForBots: true,
} as const

const messageRule = { scopes: ['channel', 'user'] } as const

/**
 * To whom each event may be published (`scopes`: the publisher chooses one), and what it changes about visibility. On
 * the subject of a channel, a recipient must be able to view that channel. On the subject of a server, they must be
 * able to view the `channelId` of the rule, if there is one.
 */
export const eventRules = {
  MESSAGE_CREATE: messageRule,
  MESSAGE_UPDATE: messageRule,
  MESSAGE_DELETE: messageRule,
  CHANNEL_CREATE: channelRule,
  CHANNEL_UPDATE: channelRule,
  CHANNEL_DELETE: channelRule,
  CHANNEL_READ: { scopes: ['user'] },
  CHANNEL_MUTE: { scopes: ['user'] },
  BLOCK_UPDATE: { scopes: ['user'] },
  INTERACTION_UPDATE: { scopes: ['user'] },
  USER_UPDATE: { scopes: ['user'] },
  SERVER_ADD: { scopes: ['user'] },
  SERVER_REMOVE: { scopes: ['user'] },
  // The permissions of the former owner and of the new one change.
  SERVER_UPDATE: { scopes: ['server'], changesViewOf: 'members' },
  OWNERSHIP_TRANSFER_UPDATE: { scopes: ['user'] },
  MEMBER_ADD: { scopes: ['server'] },
  MEMBER_UPDATE: { scopes: ['server'], changesViewOf: member => member.user.id },
  MEMBER_REMOVE: { scopes: ['server'], removedUserId: member => member.user.id },
  BAN_ADD: { scopes: ['server'], onlyForBots: true },
  BAN_REMOVE: { scopes: ['server'], onlyForBots: true },
  AUDIT_LOG_ENTRY_CREATE: { scopes: ['server'], onlyForBots: true },
  INVITE_CREATE: inChannelRule,
  INVITE_DELETE: inChannelRule,
  WEBHOOKS_UPDATE: inChannelRule,
  // A new role has no members yet, so ROLE_CREATE changes no view.
  ROLE_CREATE: { scopes: ['server'] },
  ROLE_UPDATE: { scopes: ['server'], changesViewOf: 'members' },
  ROLE_DELETE: { scopes: ['server'], changesViewOf: 'members' },
  // The publisher chooses the moderators or administrators (community/report-events).
  REPORT_CREATE: { scopes: ['user'] },
  REPORT_UPDATE: { scopes: ['user'] },
  COMMANDS_UPDATE: { scopes: ['server'] },
} as const satisfies EventRules

export interface BotEventRule<Payload> {
  /** Of an event of a server. Those of direct messages need `directMessages`. */
  intent: Intent | 'always'
  /** Only bots with this permission receive the event: in the channel of the event, or else on the server. */
  permission?: PermissionName
  /** Null for a direct message. */
  serverId: (payload: Payload) => string | null
  /** Whether there is such an event of a direct message. */
  inDirectMessages: boolean
}

export type BotEventRules = { readonly [Name in PublishedName]: BotEventRule<EventMap[Name]> | 'never' }

const serverIdOf = (payload: { serverId: string | null }): string | null => payload.serverId
const idOf = (server: { id: string }): string => server.id
const ofServer = { serverId: serverIdOf, inDirectMessages: false } as const
const ofChannel = { serverId: serverIdOf, inDirectMessages: true } as const
const ofItself = { serverId: idOf, inDirectMessages: false } as const

/** The intent that a bot needs for each event (gateway/intents). */
export const botEventRules = {
  MESSAGE_CREATE: { intent: 'messages', ...ofChannel },
  MESSAGE_UPDATE: { intent: 'messages', ...ofChannel },
  MESSAGE_DELETE: { intent: 'messages', ...ofChannel },
  CHANNEL_CREATE: { intent: 'servers', ...ofChannel },
  CHANNEL_UPDATE: { intent: 'servers', ...ofChannel },
  CHANNEL_DELETE: { intent: 'servers', ...ofChannel },
  CHANNEL_READ: 'never',
  CHANNEL_MUTE: 'never',
  BLOCK_UPDATE: 'never',
  INTERACTION_UPDATE: 'never',
  USER_UPDATE: 'never',
  SERVER_ADD: { intent: 'always', ...ofItself },
  SERVER_REMOVE: { intent: 'always', ...ofItself },
  SERVER_UPDATE: { intent: 'servers', ...ofItself },
  OWNERSHIP_TRANSFER_UPDATE: 'never',
  MEMBER_ADD: { intent: 'members', ...ofServer },
  MEMBER_UPDATE: { intent: 'members', ...ofServer },
  MEMBER_REMOVE: { intent: 'members', ...ofServer },
  BAN_ADD: { intent: 'moderation', permission: 'BAN_MEMBERS', ...ofServer },
  BAN_REMOVE: { intent: 'moderation', permission: 'BAN_MEMBERS', ...ofServer },
  AUDIT_LOG_ENTRY_CREATE: { intent: 'moderation', permission: 'VIEW_AUDIT_LOG', ...ofServer },
  INVITE_CREATE: { intent: 'invites', permission: 'MANAGE_SERVER', ...ofServer },
  INVITE_DELETE: { intent: 'invites', permission: 'MANAGE_SERVER', ...ofServer },
  WEBHOOKS_UPDATE: { intent: 'webhooks', permission: 'MANAGE_WEBHOOKS', ...ofServer },
  ROLE_CREATE: { intent: 'servers', ...ofServer },
  ROLE_UPDATE: { intent: 'servers', ...ofServer },
  ROLE_DELETE: { intent: 'servers', ...ofServer },
  REPORT_CREATE: { intent: 'moderation', ...ofServer },
  REPORT_UPDATE: { intent: 'moderation', ...ofServer },
  COMMANDS_UPDATE: 'never',
} as const satisfies BotEventRules

/** The events that a feature may publish to this scope. */
export type ScopedEvent<Scope extends EventScope = EventScope> = GatewayEvent<
  {
    [Name in PublishedName]: Scope extends (typeof eventRules)[Name]['scopes'][number] ? Name : never
  }[PublishedName]
>
