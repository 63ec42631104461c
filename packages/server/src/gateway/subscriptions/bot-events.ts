import {
  type BotEventRule,
  type BotEventRules,
  botEventRules,
  type EventMap,
} from '@gatehouse/protocol/gateway'
import type { Intent } from '@gatehouse/protocol/intents'
import type { PermissionName } from '@gatehouse/protocol/permissions'
import { type PublishedEvent, readVisibilityEffect } from '../../events/gateway-events.ts'
import type { Clock } from '../../kit/clock.ts'
import { EncodedEvent } from '../sessions/encoded-event.ts'

/** What decides whether a session of a bot receives an event (gateway/intents). */
export interface BotEventTarget {
  intent: Intent | 'always'
  /** The permission that the bot needs, in the channel if there is one, or else on the server. */
  permission: PermissionName | undefined
  channelId: string | undefined
  /** Null for a direct message. */
  serverId: string | null
}

/** Undefined if no bot receives the event. */
export function readBotEventTarget(event: PublishedEvent): BotEventTarget | undefined {
  const target = targetBy(event.t, event.d)
  return target && { ...target, channelId: readVisibilityEffect(event).channelId }
}

function targetBy<Name extends keyof BotEventRules>(
  name: Name,
  payload: EventMap[Name],
): Omit<BotEventTarget, 'channelId'> | undefined {
  const rules: BotEventRules = botEventRules
  const rule: BotEventRule<EventMap[Name]> | 'never' = rules[name]
  if (rule === 'never') return undefined
  const serverId = rule.serverId(payload)
  return { intent: serverId === null ? 'directMessages' : rule.intent, permission: rule.permission, serverId }
}

/** The intents with which a bot subscribes to the events of its servers. */
const serverIntents: ReadonlySet<string> = new Set(
  Object.values(botEventRules).flatMap(rule =>
    rule === 'never' || rule.intent === 'always' ? [] : rule.intent,
  ),
)

export function needsServerEvents(intents: readonly Intent[]): boolean {
  return intents.some(intent => serverIntents.has(intent))
}

/** Whether the bot needs `messageContent` to read the message (gateway/message-content). */
export function needsMessageContent(event: PublishedEvent, botUserId: string): boolean {
  if (event.t !== 'MESSAGE_CREATE' && event.t !== 'MESSAGE_UPDATE') return false
  const { serverId, author, mentions } = event.d
  return serverId !== null && author.id !== botUserId && !mentions.users.includes(botUserId)
}

export type WithoutContent = ReturnType<typeof createWithoutContent>

/** An event and its JSON. */
export interface OutgoingEvent {
  encoded: EncodedEvent
  source: PublishedEvent
}

/** Messages without their content, encoded once for all bots that may not read it. */
export function createWithoutContent(clock: Clock) {
  const emptied = new WeakMap<PublishedEvent, OutgoingEvent>()
  return (event: PublishedEvent): OutgoingEvent => {
    const known = emptied.get(event)
    if (known !== undefined) return known
    const source = emptyContent(event)
    const outgoing = { encoded: new EncodedEvent(source, clock()), source }
    emptied.set(event, outgoing)
    return outgoing
  }
}

function emptyContent(event: PublishedEvent): PublishedEvent {
  const empty = { content: '', embeds: [], components: [] }
  switch (event.t) {
    case 'MESSAGE_CREATE':
      return { ...event, d: { ...event.d, ...empty } }
    case 'MESSAGE_UPDATE':
      return { ...event, d: { ...event.d, ...empty } }
    default:
      return event
  }
}
