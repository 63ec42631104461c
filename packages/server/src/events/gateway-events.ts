import { randomBytes } from 'node:crypto'
import type { Channel } from '@gatehouse/protocol/channels'
import {
  type EventMap,
  type EventRule,
  type EventRules,
  type EventScope,
  eventRules,
  type GatewayEvent,
  type ScopedEvent,
} from '@gatehouse/protocol/gateway'
import type { PrivilegedIntent } from '@gatehouse/protocol/intents'
import type { Message } from '@gatehouse/protocol/messages'
import type { Bus, BusMessage, Subscription } from '../bus/bus.ts'
import { listComponentIds, withoutComponentIds } from './component-ids.ts'

/** An event on the bus. */
export type PublishedEvent<Scope extends EventScope = EventScope> = ScopedEvent<Scope> & {
  /**
   * The same on all nodes that receive the event, so that a gateway session that moves to another node gets it once.
   */
  id?: string
  /** Only of CHANNEL_CREATE: the sessions subscribe to the direct message, and do not receive the event. */
  onlySubscribe?: true
  /**
   * Only of CHANNEL_DELETE: the channel as those who could view it knew it. Only translations to another API read it.
   * Nodes of 0.3.0 neither send nor read it.
   */
  deleted?: Channel
  /**
   * Only of MESSAGE_CREATE and MESSAGE_UPDATE: the ids of the components (`listComponentIds`), if the bot gave some.
   * Only translations to another API read it. Nodes of 0.3.0 neither send nor read it.
   */
  componentIds?: readonly number[]
  /**
   * Only of MESSAGE_DELETE, if the deletion was of several messages of the channel: the first event has the ids of all,
   * the others have an empty list. Only translations to another API read it. Nodes of 0.3.0 neither send nor read it.
   */
  together?: readonly string[]
  /** Members of the payload that only the sessions of this user receive. */
  perUserExtras?: { userId: string; extras: { nonce?: string } }
}

export type ChannelEvent = GatewayEvent<'CHANNEL_CREATE' | 'CHANNEL_UPDATE' | 'CHANNEL_DELETE'> &
  Pick<PublishedEvent, 'deleted'>

/** The request on `subjects.botSessions`: an interaction for one gateway session of the bot. */
export type DispatchRequest = GatewayEvent<'INTERACTION_CREATE'>

/**
 * The reply to it: the gateway session that has received the event, with its node. Not delivered: no session has the
 * shard of the server. `delivered` means `confirmed` of `SendResult` (interactions/dispatch.ts). Nodes of other
 * versions read it too, so its name stays.
 */
export type DispatchReply = { delivered: true; sessionId: string; node: string } | { delivered: false }

/**
 * The sign-in session of a user or the bot token is not valid any more, or not while its user is disabled: the gateway
 * closes its connections with 4004.
 */
export interface CredentialEnded {
  reason: 'signed_out' | 'token_reset' | 'deleted' | 'disabled'
}

/**
 * The privileged intents that are on now. The gateway closes (4014) each connection of the bot that uses one that is
 * off.
 */
export interface PrivilegedIntentsChanged {
  privilegedIntents: readonly PrivilegedIntent[]
}

/** On `subjects.control`, by the id of the sign-in session of a user, or of the application of a bot token. */
export type ControlMessage = CredentialEnded | PrivilegedIntentsChanged

/** On `subjects.gatewaySessionDisconnected`: a gateway session of a bot lost its connection. It may be resumed. */
export interface GatewaySessionDisconnected {
  sessionId: string
}

/**
 * The bus subjects of the features and the gateway. They stay the same: nodes of two versions run during an upgrade.
 */
export const subjects = {
  channel: (id: string) => `channel.${id}`,
  server: (id: string) => `server.${id}`,
  /** By the user id of a user or bot. */
  user: (id: string) => `user.${id}`,
  /** By application id: requests to dispatch an interaction to one gateway session of its bot. */
  botSessions: (id: string) => `bot-sessions.${id}`,
  /** The same for the gateway sessions that wait for a resume on another node, because theirs stops. */
  waitingBotSessions: (id: string) => `waiting-bot-sessions.${id}`,
  control: (id: string) => `control.${id}`,
  /** By application id. An interaction that was dispatched to the disconnected session is dispatched to another one. */
  gatewaySessionDisconnected: (id: string) => `gateway-session-disconnected.${id}`,
  /** By application id: a gateway session of the bot is connected and receives interactions. The message is empty. */
  gatewaySessionConnected: (id: string) => `gateway-session-connected.${id}`,
} as const

/** Publishes events. Call it after the commit (`tx.afterCommit`), never inside the transaction. */
export interface Events {
  toChannel(channelId: string, event: PublishedEvent<'channel'>): void
  toServer(serverId: string, event: PublishedEvent<'server'>): void
  toUser(userId: string, event: PublishedEvent<'user'>): void
  /** `id`: the sign-in session of a user that ended, or the application whose bot token is no longer valid. */
  closeGatewayConnections(id: string, message: CredentialEnded): void
  changePrivilegedIntents(applicationId: string, message: PrivilegedIntentsChanged): void
}

export function createEvents(bus: Pick<Bus, 'publish'>): Events {
  const prefix = randomBytes(9).toString('base64url')
  let count = 0
  function publish(subject: string, event: PublishedEvent): void {
    const id = `${prefix}${(count++).toString(36)}`
    bus.publish(subject, { ...separateComponentIds(event), id } satisfies PublishedEvent)
  }
  return {
    toChannel: (id, event) => publish(subjects.channel(id), event),
    toServer: (id, event) => publish(subjects.server(id), event),
    toUser: (id, event) => publish(subjects.user(id), event),
    closeGatewayConnections: (id, message) => bus.publish(subjects.control(id), message),
    changePrivilegedIntents: (id, message) => bus.publish(subjects.control(id), message),
  }
}

function separateComponentIds(event: PublishedEvent): PublishedEvent {
  switch (event.t) {
    case 'MESSAGE_CREATE':
      return { ...event, ...separate(event.d) }
    case 'MESSAGE_UPDATE':
      return { ...event, ...separate(event.d) }
    default:
      return event
  }
}

function separate<Sent extends Message>(message: Sent): { d: Sent; componentIds?: readonly number[] } {
  const componentIds = listComponentIds(message.components)
  if (componentIds === undefined) return { d: message }
  return { d: { ...message, components: withoutComponentIds(message.components) }, componentIds }
}

/**
 * Subscribes to one channel, server or user. Ignores unknown events, because nodes of a newer version publish too
 * during an upgrade. Payloads are not validated, because only nodes of this service publish.
 */
export function subscribeToEvents(
  bus: Pick<Bus, 'subscribe'>,
  subject: string,
  handler: (event: PublishedEvent) => void,
): Promise<Subscription> {
  return bus.subscribe(subject, message => {
    if (isPublishedEvent(message)) handler(message)
  })
}

/** Undefined if the message on `subjects.botSessions` is not an interaction. */
export function parseDispatchRequest(message: BusMessage): DispatchRequest | undefined {
  return isDispatchRequest(message) ? message : undefined
}

export function parseControlMessage(message: BusMessage): ControlMessage | undefined {
  return isControlMessage(message) ? message : undefined
}

function isPublishedEvent(message: BusMessage): message is PublishedEvent {
  return isRecord(message) && Object.hasOwn(eventRules, String(message.t)) && isRecord(message.d)
}

function isDispatchRequest(message: BusMessage): message is DispatchRequest {
  return (
    isRecord(message) &&
    message.t === 'INTERACTION_CREATE' &&
    isRecord(message.d) &&
    typeof message.d.id === 'string'
  )
}

function isControlMessage(message: BusMessage): message is ControlMessage {
  return isRecord(message) && (typeof message.reason === 'string' || Array.isArray(message.privilegedIntents))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** How an event of a server depends on the visibility of channels, and changes it. */
export interface VisibilityEffect {
  /** Only users who can view this channel receive the event. */
  channelId: string | undefined
  /** The members who may see other channels after the event. */
  changesViewOf: 'members' | { userId: string } | undefined
  removedUserId: string | undefined
}

export function readVisibilityEffect(event: PublishedEvent): VisibilityEffect {
  return effectBy(event.t, event.d)
}

/** Whether the sessions of users receive the event. */
export function isForUsers({ t }: PublishedEvent): boolean {
  const rule: EventRule<never> = eventRules[t]
  return rule.onlyForBots !== true
}

function effectBy<Name extends keyof EventRules>(name: Name, payload: EventMap[Name]): VisibilityEffect {
  const rules: EventRules = eventRules
  const { channelId, changesViewOf, removedUserId }: EventRule<EventMap[Name]> = rules[name]
  return {
    channelId: channelId?.(payload),
    changesViewOf: typeof changesViewOf === 'function' ? { userId: changesViewOf(payload) } : changesViewOf,
    removedUserId: removedUserId?.(payload),
  }
}
