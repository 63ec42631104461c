import type { Bus, Subscription } from '../bus/bus.ts'
import type { Clock } from '../kit/clock.ts'
import { directMessageIds } from '../platform/channels/index.ts'
import { type Event, subjects } from '../platform/events.ts'
import { serversOf } from '../platform/members/index.ts'
import type { Database } from '../storage/database.ts'
import type { Guest } from './groups.ts'
import { Outgoing, toldTo } from './outgoing.ts'
import type { Room } from './room.ts'
import { readEvent, textAt } from './server-event.ts'
import type { Home, Session } from './session.ts'
import type { Shared } from './shared.ts'

export interface ViewerDeps {
  db: Database
  bus: Pick<Bus, 'subscribe'>
  clock: Clock
  rooms: Pick<Shared<undefined, Room>, 'acquire' | 'release'>
  report: (error: unknown) => void
  /** A session that cannot be kept right. */
  giveUp: (session: Session) => void
}

/** A person on this node: all of their sessions see the same. */
export class Viewer implements Guest, Home {
  readonly userId: string
  // Replaced, never changed: what is said to the sessions may end them.
  #sessions: readonly Session[] = []
  readonly #deps: ViewerDeps
  /** By server; undefined while the room is being opened. */
  readonly #rooms = new Map<string, { room: Room | undefined }>()
  #subscriptions: readonly Subscription[] = []
  /** Of the direct messages that are listened to. Most have few or none. */
  #direct: Set<string> | undefined
  /** What was said to the person and in direct messages waits here while something before it is being done. */
  readonly #waiting: Event[] = []
  #busy = true
  #closed = false

  private constructor(userId: string, deps: ViewerDeps) {
    this.userId = userId
    this.#deps = deps
  }

  /** Resolves when everything that the person may see reaches their sessions from now on. */
  static async open(userId: string, deps: ViewerDeps): Promise<Viewer> {
    const viewer = new Viewer(userId, deps)
    try {
      await viewer.#listen(subjects.user(userId))
      const [servers, channelIds] = await Promise.all([
        serversOf(deps.db, userId),
        directMessageIds(deps.db, userId),
      ])
      await Promise.all([
        ...servers.map(({ id }) => viewer.#enter(id)),
        ...channelIds.map(id => viewer.#listenTo(id)),
      ])
    } catch (error) {
      viewer.close()
      throw error
    }
    viewer.#proceed()
    return viewer
  }

  add(session: Session): void {
    this.#sessions = [...this.#sessions, session]
  }

  remove(session: Session): void {
    this.#sessions = this.#sessions.filter(other => other !== session)
  }

  async connected(): Promise<void> {}

  visibleChannels(): string[] {
    const places = [...this.#rooms.values()]
    return [...places.flatMap(({ room }) => [...(room?.seenBy(this) ?? [])]), ...(this.#direct ?? [])]
  }

  disconnected(): void {}

  deliver(event: Outgoing): void {
    for (const session of this.#sessions) session.deliver(event)
  }

  expelled(serverId: string): void {
    this.#leave(serverId)
  }

  fail(): void {
    for (const session of this.#sessions) this.#deps.giveUp(session)
  }

  close(): void {
    this.#closed = true
    for (const subscription of this.#subscriptions) subscription.close()
    for (const id of [...this.#rooms.keys()]) this.#leave(id)
  }

  async #listen(subject: string): Promise<void> {
    const subscription = await this.#deps.bus.subscribe(subject, message => {
      const event = readEvent(message)
      if (event !== undefined) this.#take(event)
    })
    if (this.#closed) subscription.close()
    else this.#subscriptions = [...this.#subscriptions, subscription]
  }

  async #listenTo(channelId: string): Promise<void> {
    this.#direct ??= new Set()
    // One that was opened during the start is listed, and told as well.
    if (this.#direct.has(channelId)) return
    this.#direct.add(channelId)
    await this.#listen(subjects.channel(channelId))
  }

  #take(event: Event): void {
    // What is lost is lost at once, whatever is still to be told before it.
    if (event.t === 'SERVER_REMOVE') this.#leave(textAt(event.d, 'id'))
    this.#waiting.push(event)
    if (!this.#busy) this.#proceed()
  }

  #proceed(): void {
    this.#busy = false
    while (!this.#busy && !this.#closed) {
      const event = this.#waiting.shift()
      if (event === undefined) return
      this.#handle(event)
    }
  }

  #handle(event: Event): void {
    const id = textAt(event.d, 'id')
    if (event.t === 'SERVER_ADD' && id !== undefined && !this.#rooms.has(id)) {
      // The room tells it, before anything of the server.
      this.#enter(id, this.#outgoing(event)).catch(error => this.#failed(error))
    } else if (event.t === 'CHANNEL_CREATE' && id !== undefined) {
      this.#busy = true
      this.#listenTo(id).then(
        () => {
          this.#pass(event)
          this.#proceed()
        },
        error => this.#failed(error),
      )
    } else this.#pass(event)
  }

  #pass(event: Event): void {
    const outgoing = this.#outgoing(toldTo(this.userId, event))
    this.deliver(outgoing)
    outgoing.settle()
  }

  async #enter(serverId: string, welcome?: Outgoing): Promise<void> {
    const place: { room: Room | undefined } = { room: undefined }
    this.#rooms.set(serverId, place)
    const room = await this.#deps.rooms.acquire(serverId, undefined)
    if (this.#rooms.get(serverId) !== place) return this.#deps.rooms.release(serverId)
    place.room = room
    const entered = await room.join(this, welcome)
    if (!entered && this.#rooms.get(serverId) === place) this.#leave(serverId)
  }

  #leave(serverId: string | undefined): void {
    const room = serverId === undefined ? undefined : this.#rooms.get(serverId)?.room
    if (serverId === undefined || !this.#rooms.delete(serverId) || room === undefined) return
    room.leave(this)
    this.#deps.rooms.release(serverId)
  }

  #failed(error: unknown): void {
    if (this.#closed) return
    this.#deps.report(error)
    this.fail()
  }

  #outgoing(event: Event): Outgoing {
    return new Outgoing(event, this.#deps.clock())
  }
}
