import type { Subscription } from '../../bus/bus.ts'
import { listDirectMessageIds } from '../../community/channels/index.ts'
import { listServersOfUser } from '../../community/servers/index.ts'
import { type PublishedEvent, subjects, subscribeToEvents } from '../../events/gateway-events.ts'
import { oneByOne } from '../../kit/batches.ts'
import type { Deps } from '../gateway-deps.ts'
import { EncodedEvent, withExtrasFor } from '../sessions/encoded-event.ts'
import { EventSubscriptions, type GatewaySession } from '../sessions/gateway-session.ts'
import type { RefCounted } from './ref-counted.ts'
import type { ServerSubscription } from './server-subscription.ts'
import type { Subscriber } from './visibility-groups.ts'

export interface UserDeps extends Deps {
  servers: Pick<RefCounted<[], ServerSubscription>, 'acquire' | 'release'>
  endSession: (session: GatewaySession) => void
}

/**
 * The events of one user. All of the user's gateway sessions on this node receive the same events. A bot is a user too.
 */
export class UserSubscriptions extends EventSubscriptions implements Subscriber {
  readonly userId: string
  readonly #deps: UserDeps
  /** By server id. `subscription` is undefined while it is opened. */
  readonly #servers = new Map<string, { subscription: ServerSubscription | undefined }>()
  #subscriptions: readonly Subscription[] = []
  /** Undefined if the user has none, which saves a Set for most users. */
  #directMessageIds: Set<string> | undefined
  /** Events of the user and of direct messages, while an earlier event is processed. */
  readonly #queue: PublishedEvent[] = []
  #busy = true
  #closed = false

  protected constructor(userId: string, deps: UserDeps) {
    super()
    this.userId = userId
    this.#deps = deps
  }

  /** Resolves when all events that the user may receive are subscribed to. */
  static async open(userId: string, deps: UserDeps): Promise<UserSubscriptions> {
    const user = new UserSubscriptions(userId, deps)
    await user.start()
    return user
  }

  protected async start(): Promise<void> {
    try {
      await this.#subscribe(subjects.user(this.userId))
      await this.subscribeToMissing()
    } catch (error) {
      this.close()
      throw error
    }
    this.#processQueue()
  }

  protected wantsServer(_serverId: string): boolean {
    return true
  }

  protected get wantsDirectMessages(): boolean {
    return true
  }

  /** Subscribes to the wanted servers and direct messages to which it is not subscribed yet. */
  protected async subscribeToMissing(): Promise<void> {
    const { db } = this.#deps
    const [servers, channelIds] = await Promise.all([
      listServersOfUser(db, this.userId),
      this.wantsDirectMessages ? listDirectMessageIds(db, this.userId) : [],
    ])
    await Promise.all(channelIds.map(id => this.#subscribeToDirectMessage(id)))
    const missing = servers.filter(({ id }) => this.wantsServer(id))
    // One after the other, because each reads the permissions in all channels of the server.
    await oneByOne(missing, async ({ id }) => {
      if (!this.#closed && !this.#servers.has(id)) await this.#joinServer(id)
    })
  }

  /** Leaves the servers that are no longer wanted. */
  protected leaveUnwanted(): void {
    for (const id of [...this.#servers.keys()]) if (!this.wantsServer(id)) this.#leaveServer(id)
  }

  get isBot(): boolean {
    return false
  }

  override visibleChannelIds(): string[] {
    const servers = [...this.#servers.values()]
    const channelIds = servers.flatMap(({ subscription }) => [
      ...(subscription?.visibleChannelIds(this) ?? []),
    ])
    return [...channelIds, ...(this.#directMessageIds ?? [])]
  }

  override visibleServerChannels(_session: GatewaySession): ReadonlyMap<string, ReadonlySet<string>> {
    const servers = [...this.#servers].map(
      ([id, { subscription }]) => [id, subscription?.visibleChannelIds(this)] as const,
    )
    return new Map(
      servers.flatMap(([id, channelIds]) => (channelIds === undefined ? [] : [[id, channelIds]])),
    )
  }

  override get isIdle(): boolean {
    const servers = [...this.#servers.values()]
    return (
      !this.#busy &&
      this.#queue.length === 0 &&
      servers.every(({ subscription }) => subscription?.isIdle && subscription.visibleChannelIds(this))
    )
  }

  onRemovedFromServer(serverId: string): void {
    this.#leaveServer(serverId)
  }

  endSessions(): void {
    for (const session of this.sessions) this.#deps.endSession(session)
  }

  close(): void {
    this.#closed = true
    for (const subscription of this.#subscriptions) subscription.close()
    for (const id of [...this.#servers.keys()]) this.#leaveServer(id)
  }

  async #subscribe(subject: string): Promise<void> {
    const subscription = await subscribeToEvents(this.#deps.bus, subject, event => this.#onEvent(event))
    if (this.#closed) subscription.close()
    else this.#subscriptions = [...this.#subscriptions, subscription]
  }

  async #subscribeToDirectMessage(channelId: string): Promise<void> {
    this.#directMessageIds ??= new Set()
    // A channel that is created during `open` may be both in the list and in an event.
    if (this.#directMessageIds.has(channelId)) return
    this.#directMessageIds.add(channelId)
    await this.#subscribe(subjects.channel(channelId))
  }

  #onEvent(event: PublishedEvent): void {
    // Not queued, so that no further event of the server is sent.
    if (event.t === 'SERVER_REMOVE') this.#leaveServer(event.d.id)
    this.#queue.push(event)
    if (!this.#busy) this.#processQueue()
  }

  #processQueue(): void {
    this.#busy = false
    while (!this.#busy && !this.#closed) {
      const event = this.#queue.shift()
      if (event === undefined) return
      this.#process(event)
    }
  }

  #process(event: PublishedEvent): void {
    if (event.t === 'SERVER_ADD' && !this.#servers.has(event.d.id) && this.wantsServer(event.d.id)) {
      // The server's subscription sends SERVER_ADD, before other events of the server.
      this.#joinServer(event.d.id, event).catch(error => this.#onFailure(error))
    } else if (event.t === 'CHANNEL_CREATE' && this.wantsDirectMessages) {
      this.#busy = true
      this.#subscribeToDirectMessage(event.d.id).then(
        () => {
          if (!event.onlySubscribe) this.#sendToSessions(event)
          this.#processQueue()
        },
        error => this.#onFailure(error),
      )
    } else if (!event.onlySubscribe) this.#sendToSessions(event)
  }

  #sendToSessions(event: PublishedEvent): void {
    const ownEvent = withExtrasFor(this.userId, event)
    const encoded = new EncodedEvent(ownEvent, this.#deps.clock())
    this.send(encoded, ownEvent)
    encoded.releaseFrame()
  }

  async #joinServer(serverId: string, firstEvent?: PublishedEvent): Promise<void> {
    const server: { subscription: ServerSubscription | undefined } = { subscription: undefined }
    this.#servers.set(serverId, server)
    let isMember = false
    try {
      const subscription = await this.#deps.servers.acquire(serverId)
      // The user left the server in the meantime.
      if (this.#servers.get(serverId) !== server) return this.#deps.servers.release(serverId)
      server.subscription = subscription
      isMember = await subscription.join(this, firstEvent)
    } finally {
      if (!isMember && this.#servers.get(serverId) === server) this.#leaveServer(serverId)
    }
  }

  #leaveServer(serverId: string): void {
    const subscription = this.#servers.get(serverId)?.subscription
    if (!this.#servers.delete(serverId) || subscription === undefined) return
    subscription.leave(this)
    this.#deps.servers.release(serverId)
  }

  #onFailure(error: unknown): void {
    if (this.#closed) return
    this.#deps.onError(error)
    this.endSessions()
  }
}
