import { firstResponseMs } from '@gatehouse/protocol/limits'
import type { Subscription } from '../bus/bus.ts'
import {
  type DispatchReply,
  parseInteractionDispatch,
  subjects,
  subscribeToEvents,
} from '../platform/events.ts'
import type { Deps } from './deps.ts'
import { EncodedEvent } from './encoded-event.ts'
import { EventSubscriptions, type GatewaySession } from './gateway-session.ts'

/** The subscription to the requests on `subjects.app`. */
interface DispatchListener {
  opening: Promise<void>
  subscription: Subscription | undefined
}

/** Events on the subject of a user that are sent to bots (bots/bot-may). */
const botEvents: readonly string[] = ['SERVER_ADD', 'SERVER_REMOVE']

/** The events of one bot. Interactions are dispatched round-robin to its connected sessions (bots/interaction-delivery). */
export class BotSubscriptions extends EventSubscriptions {
  readonly #applicationId: string
  readonly #deps: Deps
  readonly #connected: GatewaySession[] = []
  #nextIndex = 0
  /** The session that each recent interaction was dispatched to, by interaction id, the oldest first. */
  readonly #dispatched = new Map<string, { session: GatewaySession; expiresAt: number }>()
  #subscription: Subscription | undefined
  /** Exists only while a session is connected. Without it, a request fails immediately: the bot is offline. */
  #listener: DispatchListener | undefined

  private constructor(applicationId: string, deps: Deps) {
    super()
    this.#applicationId = applicationId
    this.#deps = deps
  }

  static async open(applicationId: string, userId: string, deps: Deps): Promise<BotSubscriptions> {
    const bot = new BotSubscriptions(applicationId, deps)
    bot.#subscription = await subscribeToEvents(deps.bus, subjects.user(userId), event => {
      if (!botEvents.includes(event.t)) return
      const encoded = new EncodedEvent(event, deps.clock())
      bot.send(encoded)
      encoded.releaseFrame()
    })
    return bot
  }

  override async onConnect(session: GatewaySession): Promise<void> {
    this.#connected.push(session)
    this.#listener ??= this.#openListener()
    await this.#listener.opening
  }

  override onDisconnect(session: GatewaySession): void {
    const index = this.#connected.indexOf(session)
    if (index < 0) return
    this.#connected.splice(index, 1)
    if (index < this.#nextIndex) this.#nextIndex--
    if (this.#connected.length === 0) this.#closeListener()
  }

  close(): void {
    this.#subscription?.close()
    this.#closeListener()
  }

  #openListener(): DispatchListener {
    const listener: DispatchListener = {
      opening: this.#deps.bus
        .respond(subjects.app(this.#applicationId), async message => this.#dispatch(message))
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

  #closeListener(): void {
    const listener = this.#listener
    this.#listener = undefined
    listener?.subscription?.close()
  }

  #dispatch(message: unknown): DispatchReply {
    const event = parseInteractionDispatch(message)
    if (event === undefined) return { delivered: false }
    const { id } = event.d
    const previous = this.#findDispatched(id)
    // A repeated request: the requester has not received the reply. The bot must receive the interaction once.
    if (previous !== undefined) return this.#delivered(previous)
    if (this.#nextIndex >= this.#connected.length) this.#nextIndex = 0
    const session = this.#connected[this.#nextIndex++]
    if (session === undefined) return { delivered: false }
    // Deleted first, so that the entry becomes the last one in the order of the map.
    this.#dispatched.delete(id)
    this.#dispatched.set(id, { session, expiresAt: this.#deps.clock() + firstResponseMs })
    const encoded = new EncodedEvent(event, this.#deps.clock())
    session.send(encoded)
    encoded.releaseFrame()
    return this.#delivered(session)
  }

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
    return session !== undefined && this.#connected.includes(session) ? session : undefined
  }
}
