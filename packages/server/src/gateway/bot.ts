import { firstResponseMs } from '@gatehouse/protocol/limits'
import type { Bus, Subscription } from '../bus/bus.ts'
import type { Clock } from '../kit/clock.ts'
import { subjects } from '../platform/events.ts'
import { Outgoing } from './outgoing.ts'
import { readEvent, textAt } from './server-event.ts'
import type { Home, Session } from './session.ts'

export interface BotDeps {
  bus: Pick<Bus, 'subscribe' | 'respond'>
  clock: Clock
}

/** What interactions are told when they ask for a delivery (`subjects.app`). */
export type Delivered = { delivered: true; sessionId: string } | { delivered: false }

/** What a bot is told of what is said to its user; all else is for people (D32). */
const botEvents: readonly string[] = ['SERVER_ADD', 'SERVER_REMOVE']

/** An application's bot on this node. Interactions go to its connected sessions, in turn (D26). */
export class Bot implements Home {
  // Replaced, never changed: what is said to the sessions may end them.
  #sessions: readonly Session[] = []
  readonly #applicationId: string
  readonly #deps: BotDeps
  readonly #connected: Session[] = []
  #turn = 0
  /** Who was given what may still be asked for again, oldest first, by the event's id. */
  readonly #given = new Map<string, { session: Session; until: number }>()
  #subscription: Subscription | undefined
  /** There is one while a session is connected: without, the bot is offline, known at once. */
  #responder: { opening: Promise<void>; subscription: Subscription | undefined } | undefined

  private constructor(applicationId: string, deps: BotDeps) {
    this.#applicationId = applicationId
    this.#deps = deps
  }

  static async open(applicationId: string, userId: string, deps: BotDeps): Promise<Bot> {
    const bot = new Bot(applicationId, deps)
    bot.#subscription = await deps.bus.subscribe(subjects.user(userId), message => {
      const event = readEvent(message)
      if (event === undefined || !botEvents.includes(event.t)) return
      const outgoing = new Outgoing(event, deps.clock())
      for (const session of bot.#sessions) session.deliver(outgoing)
      outgoing.settle()
    })
    return bot
  }

  add(session: Session): void {
    this.#sessions = [...this.#sessions, session]
  }

  remove(session: Session): void {
    this.#sessions = this.#sessions.filter(other => other !== session)
  }

  async connected(session: Session): Promise<void> {
    this.#connected.push(session)
    this.#responder ??= this.#respond()
    await this.#responder.opening
  }

  visibleChannels(): string[] {
    return []
  }

  disconnected(session: Session): void {
    const place = this.#connected.indexOf(session)
    if (place < 0) return
    this.#connected.splice(place, 1)
    if (place < this.#turn) this.#turn--
    if (this.#connected.length === 0) this.#fallSilent()
  }

  close(): void {
    this.#subscription?.close()
    this.#fallSilent()
  }

  #respond() {
    const responder: { opening: Promise<void>; subscription: Subscription | undefined } = {
      opening: this.#deps.bus
        .respond(subjects.app(this.#applicationId), async message => this.#give(message))
        .then(subscription => {
          if (this.#responder === responder) responder.subscription = subscription
          else subscription.close()
        }),
      subscription: undefined,
    }
    responder.opening.catch(() => {
      if (this.#responder === responder) this.#responder = undefined
    })
    return responder
  }

  #fallSilent(): void {
    const responder = this.#responder
    this.#responder = undefined
    responder?.subscription?.close()
  }

  #give(message: unknown): Delivered {
    const event = readEvent(message)
    const given = this.#givenBefore(event?.d)
    // The asker did not hear that it was taken: it is taken, and comes to the bot once.
    if (given !== undefined) return { delivered: true, sessionId: given.id }
    if (this.#turn >= this.#connected.length) this.#turn = 0
    const session = this.#connected[this.#turn++]
    if (event === undefined || session === undefined) return { delivered: false }
    const id = textAt(event.d, 'id')
    if (id !== undefined) {
      this.#given.delete(id)
      this.#given.set(id, { session, until: this.#deps.clock() + firstResponseMs })
    }
    const outgoing = new Outgoing(event, this.#deps.clock())
    session.deliver(outgoing)
    outgoing.settle()
    return { delivered: true, sessionId: session.id }
  }

  /** The session that has it, while it is connected: once it is not, another gets it (D26). */
  #givenBefore(d: unknown): Session | undefined {
    const now = this.#deps.clock()
    for (const [id, { until }] of this.#given) {
      if (until > now) break
      this.#given.delete(id)
    }
    const session = this.#given.get(textAt(d, 'id') ?? '')?.session
    return session !== undefined && this.#connected.includes(session) ? session : undefined
  }
}
