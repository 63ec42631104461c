import { setImmediate } from 'node:timers/promises'
import type { Channel } from '@gatehouse/protocol/channels'
import type { PublishedEvent } from '../../events/gateway-events.ts'
import type { EncodedEvent } from '../sessions/encoded-event.ts'

/** A user who receives the events of a server. */
export interface Subscriber {
  readonly userId: string
  readonly isBot: boolean
  /** `source` is the event that was encoded. */
  send(event: EncodedEvent, source: PublishedEvent): void
  /** The user is no longer a member. SERVER_REMOVE is published separately. */
  onRemovedFromServer(serverId: string): void
  /** Events were lost, so the gateway sessions of the user must end and the clients must identify again. */
  endSessions(): void
}

export type ChannelIds = ReadonlySet<string>

export interface Assignment {
  subscriber: Subscriber
  channelIds: ChannelIds
}

export interface VisibilityChange {
  subscriber: Subscriber
  from: ChannelIds
  to: ChannelIds
}

interface Group {
  channelIds: ChannelIds
  subscribers: Set<Subscriber>
}

/**
 * The subscribers of a server, grouped by the channels that they may view. Most members may view the same channels, so
 * an event is checked against few groups instead of every subscriber.
 */
export class VisibilityGroups {
  readonly #byChannelIds = new Map<string, Group>()
  readonly #bySubscriber = new Map<Subscriber, Group>()

  /** Calls `callback` for the subscribers who may view the channel, or for all if there is none. */
  forEach(channelId: string | undefined, callback: (subscriber: Subscriber) => void): void {
    for (const { channelIds, subscribers } of this.#byChannelIds.values()) {
      if (channelId === undefined || channelIds.has(channelId)) {
        for (const subscriber of subscribers) callback(subscriber)
      }
    }
  }

  /** Undefined if the subscriber is in no group. */
  channelIdsOf(subscriber: Subscriber): ChannelIds | undefined {
    return this.#bySubscriber.get(subscriber)?.channelIds
  }

  /** Returns the changes of subscribers who were in another group. */
  assign(assignments: readonly Assignment[]): VisibilityChange[] {
    // By identity of the set: subscribers with the same permissions usually share one, whose key is then built once.
    const groups = new Map<ChannelIds, Group>()
    const changes: VisibilityChange[] = []
    for (const { subscriber, channelIds } of assignments) {
      const group = groups.get(channelIds) ?? this.#getOrCreateGroup(channelIds)
      groups.set(channelIds, group)
      const previous = this.#bySubscriber.get(subscriber)
      if (previous === group) continue
      previous?.subscribers.delete(subscriber)
      group.subscribers.add(subscriber)
      this.#bySubscriber.set(subscriber, group)
      if (previous !== undefined)
        changes.push({ subscriber, from: previous.channelIds, to: group.channelIds })
    }
    for (const [key, { subscribers }] of this.#byChannelIds) {
      if (subscribers.size === 0) this.#byChannelIds.delete(key)
    }
    return changes
  }

  remove(subscriber: Subscriber): void {
    this.#bySubscriber.get(subscriber)?.subscribers.delete(subscriber)
    this.#bySubscriber.delete(subscriber)
  }

  #getOrCreateGroup(channelIds: ChannelIds): Group {
    const key = [...channelIds].sort().join()
    const group = this.#byChannelIds.get(key) ?? { channelIds, subscribers: new Set() }
    this.#byChannelIds.set(key, group)
    return group
  }
}

export interface ChannelDiff {
  hidden: string[]
  revealed: string[]
}

/** Returns a function that compares two sets of channels, once for all subscribers with the same change. */
export function createChannelDiff(): (from: ChannelIds, to: ChannelIds) => ChannelDiff {
  const cache = new Map<ChannelIds, Map<ChannelIds, ChannelDiff>>()
  return (from, to) => {
    const cacheOfFrom = cache.get(from) ?? new Map<ChannelIds, ChannelDiff>()
    cache.set(from, cacheOfFrom)
    const diff = cacheOfFrom.get(to) ?? {
      hidden: [...from].filter(id => !to.has(id)),
      revealed: [...to].filter(id => !from.has(id)),
    }
    cacheOfFrom.set(to, diff)
    return diff
  }
}

interface SendOptions {
  serverId: string
  changes: readonly VisibilityChange[]
  isSubscribed: (subscriber: Subscriber) => boolean
  diff: (from: ChannelIds, to: ChannelIds) => ChannelDiff
  /** Undefined if the channel was deleted in the meantime. */
  findChannel: (channelId: string) => Channel | undefined
  /** A channel that a subscriber can view no longer, as they knew it or without its values. */
  findHidden: (channelId: string) => Channel | undefined
  encode: (event: PublishedEvent) => EncodedEvent
}

/** The number of events that are sent before the event loop handles other events (limits/event-loop). */
const eventsPerSlice = 500

/**
 * Sends CHANNEL_DELETE for each channel that a subscriber may no longer view, and CHANNEL_CREATE for each new one.
 * Skips those who leave in the meantime.
 */
export async function sendVisibilityChanges({
  serverId,
  changes,
  isSubscribed,
  diff,
  findChannel,
  findHidden,
  encode,
}: SendOptions): Promise<void> {
  const withSource = (source: PublishedEvent) => ({ source, encoded: encode(source) })
  const encodeDelete = memoize(id => {
    const deleted = findHidden(id)
    return withSource({ t: 'CHANNEL_DELETE', d: { id, serverId }, ...(deleted && { deleted }) })
  })
  const encodeCreate = memoize(id => {
    const channel = findChannel(id)
    return channel === undefined ? undefined : withSource({ t: 'CHANNEL_CREATE', d: channel })
  })
  let sent = 0
  for (const { subscriber, from, to } of changes) {
    const { hidden, revealed } = diff(from, to)
    if (sent > 0 && sent + hidden.length + revealed.length > eventsPerSlice) {
      sent = 0
      await setImmediate()
    }
    if (!isSubscribed(subscriber)) continue
    const events = [...hidden.map(encodeDelete), ...revealed.map(encodeCreate)]
    for (const event of events) if (event !== undefined) subscriber.send(event.encoded, event.source)
    sent += events.length
  }
}

function memoize<T>(compute: (id: string) => T): (id: string) => T {
  const cache = new Map<string, { value: T }>()
  return id => {
    const cached = cache.get(id) ?? { value: compute(id) }
    cache.set(id, cached)
    return cached.value
  }
}
