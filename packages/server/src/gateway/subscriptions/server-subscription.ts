import type { Channel } from '@gatehouse/protocol/channels'
import type { GatewayEvent } from '@gatehouse/protocol/gateway'
import type { Subscription } from '../../bus/bus.ts'
import { describeHiddenChannels, listServerChannels } from '../../community/channels/index.ts'
import { readChannelVisibility } from '../../community/permissions/index.ts'
import {
  isForUsers,
  type PublishedEvent,
  readVisibilityEffect,
  subjects,
  subscribeToEvents,
  type VisibilityEffect,
} from '../../events/gateway-events.ts'
import { inSlices } from '../../kit/batches.ts'
import type { Timer } from '../../kit/clock.ts'
import type { Deps } from '../gateway-deps.ts'
import { EncodedEvent, withExtrasFor } from '../sessions/encoded-event.ts'
import {
  type Assignment,
  type ChannelDiff,
  type ChannelIds,
  createChannelDiff,
  type Subscriber,
  sendVisibilityChanges,
  VisibilityGroups,
} from './visibility-groups.ts'

interface SubscriberState {
  subscriber: Subscriber
  /** Sent before all other events of the server. */
  firstEvent: PublishedEvent | undefined
  /** The result of `join`, until the database was read. */
  joining: PromiseWithResolvers<boolean> | undefined
}

interface QueuedEvent {
  event: PublishedEvent
  effect: VisibilityEffect
  /** Events are numbered in the order of their arrival. */
  arrival: number
}

interface QueuedChannelEvent extends QueuedEvent {
  event: GatewayEvent<'CHANNEL_CREATE' | 'CHANNEL_UPDATE'>
}

/** The permissions that were read from the database. */
interface Visibility {
  /** By user id. A user who is not a member is absent. */
  channelIdsByUser: ReadonlyMap<string, ChannelIds>
  /** Payloads of the channels that became visible to some subscriber. */
  channels: ReadonlyMap<string, Channel>
  /** Those that some subscriber can view no longer. */
  hidden: ReadonlyMap<string, Channel>
  diff: (from: ChannelIds, to: ChannelIds) => ChannelDiff
  /** The first queued event, if `channels` contains its channel. */
  channelEvent: QueuedChannelEvent | undefined
}

const retryMs = 1000
/** How many subscribers' permissions one statement reads. */
const usersPerStatement = 500
/** Limits the memory used while the database does not respond. Above it, all gateway sessions of the members end. */
const maxQueuedEvents = 4096

/**
 * The events of one server, for its members who are connected to this node. An event that may change permissions waits
 * until they are read from the database again, and all later events wait behind it. So a hidden channel's events reach
 * nobody who may not view it, and no event of a visible channel is lost. Subscribers receive the difference as
 * CHANNEL_CREATE and CHANNEL_DELETE.
 */
export class ServerSubscription {
  readonly #serverId: string
  readonly #deps: Deps
  /** By user id. */
  readonly #subscribers = new Map<string, SubscriberState>()
  readonly #groups = new VisibilityGroups()
  /**
   * The bus subscriptions of all channels, hidden ones too. Otherwise the first messages would be lost after a channel
   * becomes visible.
   */
  readonly #channels = new Map<string, Promise<Subscription>>()
  readonly #queue: QueuedEvent[] = []
  /** User ids whose permissions must be read. */
  #stale: Set<string> | 'all' = new Set()
  #lastArrival = 0
  /** The groups include the effect of all events up to this arrival number. */
  #refreshedArrival = 0
  #refreshing = false
  #closed = false
  #subscription: Subscription | undefined
  #retryTimer: Timer | undefined

  private constructor(serverId: string, deps: Deps) {
    this.#serverId = serverId
    this.#deps = deps
  }

  static async open(serverId: string, deps: Deps): Promise<ServerSubscription> {
    const server = new ServerSubscription(serverId, deps)
    server.#subscription = await subscribeToEvents(deps.bus, subjects.server(serverId), event =>
      server.#onEvent(event, readVisibilityEffect(event)),
    )
    return server
  }

  /**
   * Resolves to true when the subscriber receives the events of the channels that they may view, after `firstEvent`.
   * Resolves to false if they are not a member. Rejects if the database cannot be read.
   */
  join(subscriber: Subscriber, firstEvent?: PublishedEvent): Promise<boolean> {
    const joining = Promise.withResolvers<boolean>()
    this.leave(subscriber)
    this.#subscribers.set(subscriber.userId, { subscriber, firstEvent, joining })
    this.#markStale(subscriber.userId)
    this.#processQueue()
    return joining.promise
  }

  /** Takes effect immediately, before events that are queued. */
  leave(subscriber: Subscriber): void {
    const state = this.#subscribers.get(subscriber.userId)
    if (state?.subscriber !== subscriber) return
    this.#subscribers.delete(subscriber.userId)
    this.#groups.remove(subscriber)
    state.joining?.resolve(false)
  }

  /** Undefined until `join` has resolved. */
  visibleChannelIds(subscriber: Subscriber): ChannelIds | undefined {
    return this.#groups.channelIdsOf(subscriber)
  }

  /** True if all events that have arrived were sent. */
  get isIdle(): boolean {
    return this.#queue.length === 0 && !this.#refreshing
  }

  close(): void {
    this.#closed = true
    this.#subscription?.close()
    this.#retryTimer?.cancel()
    for (const id of [...this.#channels.keys()]) this.#unsubscribeFromChannel(id)
    for (const { subscriber } of [...this.#subscribers.values()]) this.leave(subscriber)
  }

  #onEvent(event: PublishedEvent, effect: VisibilityEffect): void {
    this.#lastArrival++
    const { changesViewOf, removedUserId } = effect
    if (removedUserId !== undefined) this.#removeMember(this.#subscribers.get(removedUserId))
    if (event.t === 'CHANNEL_CREATE') this.#subscribeToChannel(event.d.id)
    if (event.t === 'CHANNEL_DELETE') this.#unsubscribeFromChannel(event.d.id)
    if (changesViewOf === 'members') this.#stale = 'all'
    else if (changesViewOf !== undefined && this.#subscribers.has(changesViewOf.userId)) {
      this.#markStale(changesViewOf.userId)
    }
    this.#queue.push({ event, effect, arrival: this.#lastArrival })
    this.#processQueue()
    if (this.#queue.length > maxQueuedEvents) {
      this.#queue.length = 0
      for (const { subscriber } of [...this.#subscribers.values()]) subscriber.endSessions()
    }
  }

  #processQueue(): void {
    for (;;) {
      const next = this.#queue[0]
      if (next === undefined || this.#needsRefresh(next)) break
      this.#queue.shift()
      this.#send(next)
    }
    const stale = this.#stale === 'all' || this.#stale.size > 0
    if (stale && !this.#refreshing && !this.#closed) void this.#refresh()
  }

  /** True if the permissions must be read from the database before the event is sent. */
  #needsRefresh({ effect: { changesViewOf }, arrival }: QueuedEvent): boolean {
    if (changesViewOf === undefined || arrival <= this.#refreshedArrival) return false
    return changesViewOf === 'members' || this.#subscribers.has(changesViewOf.userId)
  }

  /** Sends the event to the subscribers who may view its channel and, if `only` is given, are in it. */
  #send({ event, effect: { channelId } }: QueuedEvent, only?: ReadonlySet<Subscriber>): void {
    // `sendVisibilityChanges` has already sent these to all subscribers whom they concern.
    if (event.t === 'CHANNEL_CREATE' || event.t === 'CHANNEL_DELETE') return
    const encoded = this.#encode(event)
    const { perUserExtras } = event
    const isForAll = isForUsers(event)
    this.#groups.forEach(channelId, subscriber => {
      if (only !== undefined && !only.has(subscriber)) return
      if (!isForAll && !subscriber.isBot) return
      if (perUserExtras?.userId !== subscriber.userId) return subscriber.send(encoded, event)
      const ownEvent = withExtrasFor(subscriber.userId, event)
      const withExtras = this.#encode(ownEvent)
      subscriber.send(withExtras, ownEvent)
      withExtras.releaseFrame()
    })
    encoded.releaseFrame()
  }

  async #refresh(): Promise<void> {
    this.#refreshing = true
    const arrival = this.#lastArrival
    const stale = this.#stale
    this.#stale = new Set()
    const states = [...this.#subscribers.values()].filter(
      ({ subscriber }) => stale === 'all' || stale.has(subscriber.userId),
    )
    try {
      const visibility = await this.#readVisibility(states, arrival)
      if (this.#closed) return
      await this.#applyVisibility(states, visibility)
      if (this.#closed) return
      // Only now, so that the event that changes the permissions and all later ones wait until the changes are sent.
      this.#refreshedArrival = arrival
      this.#refreshing = false
      this.#processQueue()
    } catch (error) {
      if (!this.#closed) this.#onRefreshError(error, states)
    }
  }

  async #readVisibility(states: readonly SubscriberState[], arrival: number): Promise<Visibility> {
    const { db } = this.#deps
    const userIds = states.map(({ subscriber }) => subscriber.userId)
    const slices = await inSlices(userIds, usersPerStatement, ids =>
      readChannelVisibility(db, this.#serverId, ids),
    )
    for (const id of new Set(slices.flatMap(slice => slice.channelIds))) this.#subscribeToChannel(id)
    const channelIdsByUser = new Map(slices.flatMap(slice => [...slice.channelIdsByUser]))
    await Promise.all(this.#channels.values())
    const diff = createChannelDiff()
    // The event contains its own channel. Other channels that become visible must be read.
    const channelEvent = this.#firstChannelEvent(arrival)
    const channels = new Map<string, Channel>()
    if (channelEvent !== undefined) channels.set(channelEvent.event.d.id, channelEvent.event.d)
    const changes = new Set<ChannelDiff>()
    for (const { subscriber } of states) {
      const from = this.#groups.channelIdsOf(subscriber)
      const to = channelIdsByUser.get(subscriber.userId)
      if (from && to) changes.add(diff(from, to))
    }
    if ([...changes].some(({ revealed }) => revealed.some(id => !channels.has(id)))) {
      for (const channel of await listServerChannels(db, this.#serverId)) channels.set(channel.id, channel)
    }
    const hiddenIds = new Set([...changes].flatMap(change => change.hidden))
    const ids = [...hiddenIds].map(id => ({ id, serverId: this.#serverId }))
    const hidden = await describeHiddenChannels(db, ids)
    for (const channel of this.#deletedChannels()) hidden.set(channel.id, channel)
    return { channelIdsByUser, channels, hidden, diff, channelEvent }
  }

  /** Those whose deletion is in the queue, behind no event that may have hidden them from someone before. */
  #deletedChannels(): Channel[] {
    const deleted: Channel[] = []
    const changed = new Set<string>()
    for (const { event, effect } of this.#queue) {
      if (event.t === 'CHANNEL_UPDATE') changed.add(event.d.id)
      else if (event.t === 'CHANNEL_DELETE') {
        if (event.deleted && !changed.has(event.d.id)) deleted.push(event.deleted)
      } else if (effect.changesViewOf !== undefined && event.t !== 'CHANNEL_CREATE') break
    }
    return deleted
  }

  /** The first event in the queue, if it contains a channel and arrived before the refresh. */
  #firstChannelEvent(arrival: number): QueuedChannelEvent | undefined {
    const first = this.#queue[0]
    if (first === undefined || first.arrival > arrival) return undefined
    const { event } = first
    if (event.t !== 'CHANNEL_CREATE' && event.t !== 'CHANNEL_UPDATE') return undefined
    return { ...first, event }
  }

  async #applyVisibility(states: readonly SubscriberState[], visibility: Visibility): Promise<void> {
    const { channelIdsByUser, channels, hidden, diff, channelEvent } = visibility
    const assignments: Assignment[] = []
    const joining: (Assignment & { state: SubscriberState })[] = []
    for (const state of states) {
      const { subscriber } = state
      // A subscriber who left and joined during the refresh is in the next one.
      if (this.#subscribers.get(subscriber.userId) !== state) continue
      const channelIds = channelIdsByUser.get(subscriber.userId)
      if (channelIds === undefined) this.#removeMember(state)
      else if (state.joining !== undefined) joining.push({ subscriber, channelIds, state })
      else assignments.push({ subscriber, channelIds })
    }
    // Those who could view the channel before receive the event itself, the others CHANNEL_CREATE.
    const viewersBefore = new Set<Subscriber>()
    if (channelEvent !== undefined) {
      this.#groups.forEach(channelEvent.effect.channelId, subscriber => viewersBefore.add(subscriber))
    }
    const changes = this.#groups.assign(assignments)
    await sendVisibilityChanges({
      serverId: this.#serverId,
      changes,
      isSubscribed: subscriber => this.#subscribers.get(subscriber.userId)?.subscriber === subscriber,
      diff,
      findChannel: id => channels.get(id),
      findHidden: id => hidden.get(id),
      encode: event => this.#encode(event),
    })
    if (channelEvent !== undefined) {
      if (this.#queue[0]?.arrival === channelEvent.arrival) this.#queue.shift()
      this.#send(channelEvent, viewersBefore)
    }
    this.#groups.assign(joining)
    for (const { state } of joining) this.#completeJoin(state)
  }

  #completeJoin(state: SubscriberState): void {
    const { subscriber, firstEvent, joining } = state
    state.firstEvent = undefined
    state.joining = undefined
    if (firstEvent !== undefined) subscriber.send(this.#encode(firstEvent), firstEvent)
    joining?.resolve(true)
  }

  #removeMember(state: SubscriberState | undefined): void {
    if (state === undefined) return
    const { joining, subscriber } = state
    this.leave(subscriber)
    if (joining === undefined) subscriber.onRemovedFromServer(this.#serverId)
  }

  /** Rejects pending joins. For the other subscribers, all events wait until a retry succeeds. */
  #onRefreshError(error: unknown, states: readonly SubscriberState[]): void {
    this.#deps.onError(error)
    for (const { subscriber, joining } of states) {
      if (joining === undefined) this.#markStale(subscriber.userId)
      else {
        joining.reject(error)
        this.leave(subscriber)
      }
    }
    this.#retryTimer = this.#deps.timers.after(retryMs, () => {
      this.#refreshing = false
      this.#processQueue()
    })
  }

  #markStale(userId: string): void {
    if (this.#stale !== 'all') this.#stale.add(userId)
  }

  #subscribeToChannel(id: string): void {
    if (this.#closed || this.#channels.has(id)) return
    // No event on the subject of a channel changes permissions.
    const effect: VisibilityEffect = { channelId: id, changesViewOf: undefined, removedUserId: undefined }
    const subscribing = subscribeToEvents(this.#deps.bus, subjects.channel(id), event =>
      this.#onEvent(event, effect),
    )
    this.#channels.set(id, subscribing)
    subscribing.catch(() => {
      if (this.#channels.get(id) === subscribing) this.#channels.delete(id)
    })
  }

  #unsubscribeFromChannel(id: string): void {
    const subscribing = this.#channels.get(id)
    this.#channels.delete(id)
    subscribing?.then(
      subscription => subscription.close(),
      () => {},
    )
  }

  #encode(event: PublishedEvent): EncodedEvent {
    return new EncodedEvent(event, this.#deps.clock())
  }
}
