import type { Static } from 'typebox'
import type { Channel } from './channels.ts'
import type { InteractionCreate, InteractionUpdate } from './interactions.ts'
import type { Message } from './messages.ts'
import type { ReadState } from './read-state.ts'
import { closed } from './schema.ts'
import type { Member, Role, Server } from './servers.ts'
import { Type } from './type.ts'
import type { SelfUser, User } from './users.ts'

/** `GET /api/gateway`. */
export const GatewayAnswer = Type.Object({ url: Type.String() }, closed('Where the WebSocket is.'))
export type GatewayAnswer = Static<typeof GatewayAnswer>

export const gatewayPath = '/api/gateway/ws'

/** The well-known op-codes. */
export const Op = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
} as const
export type Op = (typeof Op)[keyof typeof Op]

export const CloseCode = {
  /** Also of a socket whose session another socket has resumed (D62). */
  unknown: 4000,
  unknownOp: 4001,
  /** Not JSON, over 4 KiB, or an `op` that is no number. */
  badFrame: 4002,
  notIdentified: 4003,
  /** Do not reconnect. */
  badToken: 4004,
  alreadyIdentified: 4005,
  badSeq: 4007,
  tooManyFrames: 4008,
  timedOut: 4009,
  /** RFC 6455 registry: the service restarts; resume elsewhere. */
  serviceRestart: 1012,
} as const
export type CloseCode = (typeof CloseCode)[keyof typeof CloseCode]

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

/** Frames of the client. A bot identifies with its token, a person's web client by its cookie. */
export interface HeartbeatFrame {
  op: typeof Op.heartbeat
  /** The last `s` received. */
  d: number | null
}
export interface IdentifyFrame {
  op: typeof Op.identify
  d: { token?: string }
}
export interface ResumeFrame {
  op: typeof Op.resume
  d: { token?: string; sessionId: string; seq: number }
}
export type ClientFrame = HeartbeatFrame | IdentifyFrame | ResumeFrame

export interface Ready {
  sessionId: string
  resumeUrl: string
  user: SelfUser
  /** Of a bot. */
  application?: { id: string }
  /** `roles`: of a person, those that they have there, without @everyone. */
  servers: { id: string; name: string; roles?: string[] }[]
  /** Of a person: each channel that they may view. */
  readStates?: ReadState[]
}

/** What both kinds of session receive. */
interface SharedEvents {
  READY: Ready
  RESUMED: Record<string, never>
  SERVER_ADD: Server
  SERVER_REMOVE: { id: string }
}

/** What a bot receives, and nothing else (D32). */
export interface BotEventMap extends SharedEvents {
  INTERACTION_CREATE: InteractionCreate
}

/** What a person receives: only what they may see at that moment (D61). */
export interface PersonEventMap extends SharedEvents {
  /** `nonce`: for the author's own sessions, where the request had one. */
  MESSAGE_CREATE: Message & { nonce?: string }
  MESSAGE_UPDATE: Message
  MESSAGE_DELETE: { id: string; channelId: string; serverId: string | null }
  INTERACTION_UPDATE: InteractionUpdate
  /** The person has read up to this message, here or in another of their windows. */
  CHANNEL_READ: { channelId: string; messageId: string }
  /** Oneself, as one is from now on. */
  USER_UPDATE: SelfUser
  CHANNEL_CREATE: Channel
  CHANNEL_UPDATE: Channel
  CHANNEL_DELETE: { id: string; serverId: string | null }
  SERVER_UPDATE: Server
  MEMBER_ADD: Member & { serverId: string }
  MEMBER_UPDATE: Member & { serverId: string }
  MEMBER_REMOVE: { serverId: string; user: User }
  ROLE_CREATE: Role
  ROLE_UPDATE: Role
  ROLE_DELETE: { id: string; serverId: string }
  COMMANDS_UPDATE: { serverId: string }
}

export interface EventMap extends BotEventMap, PersonEventMap {}
export type EventName = keyof EventMap
