import { firstResponseMs } from '@gatehouse/protocol/limits'
import { has, Permission, type PermissionName } from '@gatehouse/protocol/permissions'
import type { Subscription } from '../../bus/bus.ts'
import { createRoundRobin } from '../../bus/round-robin.ts'
import { findChannelAccess, findServerAccess } from '../../community/permissions/index.ts'
import {
  type DispatchReply,
  type DispatchRequest,
  type PublishedEvent,
  parseDispatchRequest,
  subjects,
} from '../../events/gateway-events.ts'
import { coversServer, type Identity } from '../connection/gateway-authentication.ts'
import type { Deps } from '../gateway-deps.ts'
import { EncodedEvent } from '../sessions/encoded-event.ts'
import type { GatewaySession } from '../sessions/gateway-session.ts'
import {
  type BotEventTarget,
  needsMessageContent,
  needsServerEvents,
  readBotEventTarget,
  type WithoutContent,
} from './bot-events.ts'
import { type UserDeps, UserSubscriptions } from './user-subscriptions.ts'

/** The subscription to the requests on a subject. */
interface DispatchListener {
  opening: Promise<void>
  subscription: Subscription | undefined
}

type Respond = (message: unknown) => Promise<DispatchReply>

/**
 * The sessions that a dispatch may choose: those with a connection, or those that wait for a resume on another node.
 */
type SessionKind = 'connected' | 'waiting'

/**
 * The request to another node to send an interaction to one of its sessions, if no session of this node has the shard
 * of the server. `TakeOverMessage` of `interactions/take-over.ts`, whose `t` is similar, is another message. Nodes of
 * other versions read both, so `t` and the other members stay the same.
 */
export interface ForwardedDispatch {
  t: 'dispatch-interaction'
  event: DispatchRequest
  /** The name stays, because nodes of other versions read it. */
  sessions: SessionKind
}

/**
 * Shorter than `confirmMs` of `interactions/gateway-dispatch.ts`, for which the requester waits: if one node is
 * suspended, there is time to ask others.
 */
const forwardMs = 150

/** Sessions that receive the interactions of one subject round-robin. */
class RoundRobinSessions {
  readonly #subject: string
  readonly #bus: Deps['bus']
  readonly #respond: Respond
  readonly #rotation = createRoundRobin<GatewaySession>()
  /** The function that removes each session from the rotation. */
  readonly #removals = new Map<GatewaySession, () => void>()
  /** Exists only while there is a session. Without it, a request fails immediately. */
  #listener: DispatchListener | undefined

  constructor(subject: string, bus: Deps['bus'], respond: Respond) {
    this.#subject = subject
    this.#bus = bus
    this.#respond = respond
  }

  /** Resolves when requests can reach the session. */
  async add(session: GatewaySession): Promise<void> {
    if (!this.has(session)) this.#removals.set(session, this.#rotation.add(session))
    this.#listener ??= this.#openListener()
    await this.#listener.opening
  }

  remove(session: GatewaySession): void {
    this.#removals.get(session)?.()
    if (this.#removals.delete(session) && this.#removals.size === 0) this.close()
  }

  has(session: GatewaySession): boolean {
    return this.#removals.has(session)
  }

  /** The next session whose shard has the server. */
  next(serverId: string | null): GatewaySession | undefined {
    return this.#rotation.next(({ identity }) => coversServer(identity.options, serverId))
  }

  close(): void {
    const listener = this.#listener
    this.#listener = undefined
    listener?.subscription?.close()
  }

  #openListener(): DispatchListener {
    const listener: DispatchListener = {
      opening: this.#bus
        .respond(this.#subject, message => this.#respond(message))
        .then(subscription => {
          if (this.#listener === listener) listener.subscription = subscription
          else subscription.close()
        }),
      subscription: undefined,
    }
    listener.opening.catch(() => {
      if (this.#listener === listener) this.#listener = undefined
    })
    return listener
  }
}

interface BotDeps extends UserDeps {
  withoutContent: WithoutContent
}

/**
 * The events of one bot. Each session receives those of its intents. Interactions are dispatched round-robin to the
 * connected sessions (bots/interaction-delivery).
 */
export class BotSubscriptions extends UserSubscriptions {
  readonly #applicationId: string
  readonly #deps: BotDeps
  readonly #connected: RoundRobinSessions
  /** The sessions that wait for a resume on another node. They receive interactions only if no session is connected. */
  #waiting: RoundRobinSessions | undefined
  /** The session that each recent interaction was dispatched to, by interaction id, the oldest first. */
  readonly #dispatched = new Map<string, { session: GatewaySession; expiresAt: number }>()
  /** Resolves when the subscriptions for the last session that was added are complete. */
  #subscribing: Promise<void> = Promise.resolve()
  /** The events whose permission is read, and their number. */
  #sending: Promise<void> = Promise.resolve()
  #unsent = 0

  private constructor(applicationId: string, userId: string, deps: BotDeps) {
    super(userId, deps)
    this.#applicationId = applicationId
    this.#deps = deps
    this.#connected = this.#createRoundRobin('connected', subjects.botSessions(applicationId))
  }

  static async openBot(applicationId: string, userId: string, deps: BotDeps): Promise<BotSubscriptions> {
    const bot = new BotSubscriptions(applicationId, userId, deps)
    await bot.start()
    return bot
  }

  /** One session after the other, so that each waits for the servers that the previous one joins. */
  override subscribeFor({ identity }: GatewaySession): Promise<void> {
    if (!hasIntents(identity)) return Promise.resolve()
    this.#subscribing = this.#subscribing.catch(() => {}).then(() => this.subscribeToMissing())
    return this.#subscribing
  }

  /** A bot without intents subscribes only to its own subject, for SERVER_ADD and SERVER_REMOVE. */
  protected override async subscribeToMissing(): Promise<void> {
    if (this.sessions.some(({ identity }) => hasIntents(identity))) await super.subscribeToMissing()
  }

  protected override wantsServer(serverId: string): boolean {
    return this.sessions.some(
      ({ identity: { options } }) =>
        options !== undefined && needsServerEvents(options.intents) && coversServer(options, serverId),
    )
  }

  protected override get wantsDirectMessages(): boolean {
    return this.sessions.some(
      ({ identity: { options } }) =>
        options?.intents.includes('directMessages') && coversServer(options, null),
    )
  }

  override send(encoded: EncodedEvent, source: PublishedEvent): void {
    const target = readBotEventTarget(source)
    if (target === undefined) return
    if (target.permission !== undefined) {
      this.#sendPermitted(encoded, source, target, target.permission)
      return
    }
    const emptied = needsMessageContent(source, this.userId) ? this.#deps.withoutContent(source) : undefined
    for (const session of this.sessions) {
      if (!isTarget(session, target, source)) continue
      const mayRead = emptied === undefined || session.identity.options?.intents.includes('messageContent')
      const event = mayRead ? { encoded, source } : emptied
      session.receive(event.encoded, event.source)
    }
    emptied?.encoded.releaseFrame()
  }

  /** Reads the permissions first, one event after the other. Such events are rare. */
  #sendPermitted(
    encoded: EncodedEvent,
    source: PublishedEvent,
    target: BotEventTarget,
    permission: PermissionName,
  ): void {
    const { serverId, channelId } = target
    const isWanted = this.sessions.some(session => isTarget(session, target, source))
    if (!isWanted || serverId === null) return
    const { db, clock, onError } = this.#deps
    this.#unsent++
    this.#sending = this.#sending
      .then(async () => {
        const access =
          channelId === undefined
            ? await findServerAccess(db, clock(), this.userId, serverId)
            : await findChannelAccess(db, clock(), this.userId, channelId)
        if (access === undefined || !has(access.permissions, Permission[permission])) return
        for (const session of this.sessions) {
          if (isTarget(session, target, source)) session.receive(encoded, source)
        }
        encoded.releaseFrame()
      })
      .catch(onError)
      .finally(() => {
        this.#unsent--
      })
  }

  override get isIdle(): boolean {
    return this.#unsent === 0 && super.isIdle
  }

  override get isBot(): boolean {
    return true
  }

  /** Only READY of a user contains read states. */
  override visibleChannelIds(): string[] {
    return []
  }

  override visibleServerChannels(session: GatewaySession): ReadonlyMap<string, ReadonlySet<string>> {
    const { options } = session.identity
    if (!options?.intents.includes('servers')) return new Map()
    const channels = super.visibleServerChannels(session)
    return new Map([...channels].filter(([serverId]) => coversServer(options, serverId)))
  }

  override async onConnect(session: GatewaySession): Promise<void> {
    await this.#connected.add(session)
  }

  override onDisconnect(session: GatewaySession): void {
    this.#connected.remove(session)
  }

  override async onWait(session: GatewaySession): Promise<void> {
    this.#waiting ??= this.#createRoundRobin('waiting', subjects.waitingBotSessions(this.#applicationId))
    await this.#waiting.add(session)
  }

  override remove(session: GatewaySession): void {
    super.remove(session)
    this.#connected.remove(session)
    this.#waiting?.remove(session)
    this.leaveUnwanted()
  }

  override close(): void {
    super.close()
    this.#connected.close()
    this.#waiting?.close()
  }

  #createRoundRobin(kind: SessionKind, subject: string): RoundRobinSessions {
    return new RoundRobinSessions(subject, this.#deps.bus, async message => {
      const event = parseDispatchRequest(message)
      return event === undefined ? { delivered: false } : this.#dispatch(event, kind)
    })
  }

  /** If the sessions of this node are of other shards, those of the other nodes follow (gateway/shards). */
  async #dispatch(event: DispatchRequest, kind: SessionKind): Promise<DispatchReply> {
    const reply = this.dispatchHere(event, kind)
    if (reply.delivered) return reply
    const { nodes } = this.#deps
    const request: ForwardedDispatch = { t: 'dispatch-interaction', event, sessions: kind }
    for (const node of nodes.others()) {
      const forwarded = await nodes.request(node, request, forwardMs).catch(() => undefined)
      if ((forwarded as DispatchReply | undefined)?.delivered) return forwarded as DispatchReply
    }
    return reply
  }

  dispatchHere(event: DispatchRequest, kind: SessionKind): DispatchReply {
    const { id, serverId } = event.d
    const previous = this.#findDispatched(id)
    // A repeated request: the requester has not received the reply. This node sends the interaction once while the
    // session is connected. Another node may send it too, and the service accepts one response.
    if (previous !== undefined) return this.#delivered(previous)
    const sessions = kind === 'connected' ? this.#connected : this.#waiting
    const session = sessions?.next(serverId)
    if (session === undefined) return { delivered: false }
    // Deleted first, so that the entry becomes the last one in the order of the map.
    this.#dispatched.delete(id)
    this.#dispatched.set(id, { session, expiresAt: this.#deps.clock() + firstResponseMs })
    // With its id, so that a session that moves to another node gets it once.
    const encoded = new EncodedEvent({ ...event, id }, this.#deps.clock())
    session.receive(encoded, event)
    encoded.releaseFrame()
    return this.#delivered(session)
  }

  /**
   * The event is in the replay buffer of the session, or waits for its translation, whose failure ends the session. The
   * bot may not have received it.
   */
  #delivered(session: GatewaySession): DispatchReply {
    return { delivered: true, sessionId: session.id, node: this.#deps.nodes.self }
  }

  /** Undefined if that session is disconnected. Another session then receives it (bots/interaction-delivery). */
  #findDispatched(interactionId: string): GatewaySession | undefined {
    const now = this.#deps.clock()
    for (const [id, { expiresAt }] of this.#dispatched) {
      if (expiresAt > now) break
      this.#dispatched.delete(id)
    }
    const session = this.#dispatched.get(interactionId)?.session
    if (session === undefined) return undefined
    return this.#connected.has(session) || this.#waiting?.has(session) ? session : undefined
  }
}

function isTarget(
  { identity: { options }, translation }: GatewaySession,
  { intent, serverId }: BotEventTarget,
  event: PublishedEvent,
): boolean {
  if (intent !== 'always' && !options?.intents.includes(intent) && !translation?.wants(event)) return false
  return coversServer(options, serverId)
}

function hasIntents({ options }: Identity): boolean {
  return options !== undefined && options.intents.length > 0
}
