import type { Bus, Subscription } from '../bus/bus.ts'
import type { Clock, Timer, Timers } from '../kit/clock.ts'
import { channelsOfServer } from '../platform/channels/index.ts'
import { type Event, subjects } from '../platform/events.ts'
import { audience } from '../platform/permissions/index.ts'
import type { Database } from '../storage/database.ts'
import { announce } from './announce.ts'
import { type Channels, createDifferences, type Difference, Groups, type Guest } from './groups.ts'
import { Outgoing, toldTo } from './outgoing.ts'
import { readEvent, readServerEvent, type ServerEvent } from './server-event.ts'

export interface RoomDeps {
  db: Database
  bus: Pick<Bus, 'subscribe'>
  clock: Clock
  timers: Timers
  report: (error: unknown) => void
}

interface Seat {
  guest: Guest
  /** What the guest is told on getting in. */
  welcome: Outgoing | undefined
  /** Until it is known what the guest may see. */
  entering: PromiseWithResolvers<boolean> | undefined
}

interface Waiting {
  event: Event
  read: ServerEvent
  arrival: number
}

interface Place {
  guest: Guest
  channels: Channels
}

/** What the database says. */
interface View {
  /** By user id; who is no member is absent. */
  visible: ReadonlyMap<string, Channels>
  /** Those that have come into somebody's sight, as they are told. */
  channels: ReadonlyMap<string, unknown>
  differences: (from: Channels, to: Channels) => Difference
  /** The event that brought one of them. */
  about: Waiting | undefined
}

const retryMs = 1000
/** More than this behind one look at the database: it does not come back, and memory is no place to wait. */
const maxWaiting = 4096

/**
 * A server, for those of its members who are connected to this node. An event that may change who sees what waits until
 * the database was asked again, and everything after it waits with it: what is hidden reaches nobody from then on, and
 * nothing that may be seen is lost. What follows for a person is told as CHANNEL_CREATE and CHANNEL_DELETE.
 */
export class Room {
  readonly #serverId: string
  readonly #deps: RoomDeps
  readonly #seats = new Map<string, Seat>()
  readonly #groups = new Groups()
  /** All channels of the server, hidden ones too: one that is revealed must be heard from that moment on. */
  readonly #channels = new Map<string, Promise<Subscription>>()
  readonly #waiting: Waiting[] = []
  /** Who has to be looked at again. */
  #stale: Set<string> | 'all' = new Set()
  #arrivals = 0
  /** What arrived up to here, the groups know. */
  #fresh = 0
  #refreshing = false
  #closed = false
  #subscription: Subscription | undefined
  #retry: Timer | undefined

  private constructor(serverId: string, deps: RoomDeps) {
    this.#serverId = serverId
    this.#deps = deps
  }

  static async open(serverId: string, deps: RoomDeps): Promise<Room> {
    const room = new Room(serverId, deps)
    room.#subscription = await deps.bus.subscribe(subjects.server(serverId), message => {
      const event = readEvent(message)
      if (event !== undefined) room.#arrive(event, readServerEvent(event))
    })
    return room
  }

  /**
   * Resolves when the guest receives what it may see, with `welcome` before it; to false where it is no member. Rejects
   * where that cannot be found out.
   */
  join(guest: Guest, welcome?: Outgoing): Promise<boolean> {
    const entering = Promise.withResolvers<boolean>()
    this.leave(guest)
    this.#seats.set(guest.userId, { guest, welcome, entering })
    this.#markStale(guest.userId)
    this.#pump()
    return entering.promise
  }

  /** At once: nothing of the server reaches the guest any more. */
  leave(guest: Guest): void {
    const seat = this.#seats.get(guest.userId)
    if (seat?.guest !== guest) return
    this.#seats.delete(guest.userId)
    this.#groups.remove(guest)
    seat.entering?.resolve(false)
  }

  /** The channels that the guest may see; undefined where that is not known yet. */
  seenBy(guest: Guest): Channels | undefined {
    return this.#groups.seenBy(guest)
  }

  close(): void {
    this.#closed = true
    this.#subscription?.close()
    this.#retry?.cancel()
    for (const id of [...this.#channels.keys()]) this.#unwatch(id)
    for (const { guest } of [...this.#seats.values()]) this.leave(guest)
  }

  #arrive(event: Event, read: ServerEvent): void {
    this.#arrivals++
    const { changes, channelId, removed } = read
    if (removed !== undefined) this.#expel(this.#seats.get(removed))
    if (event.t === 'CHANNEL_CREATE' && channelId !== undefined) this.#watch(channelId)
    if (event.t === 'CHANNEL_DELETE' && channelId !== undefined) this.#unwatch(channelId)
    if (changes === 'all') this.#stale = 'all'
    else if (changes !== undefined && this.#seats.has(changes.userId)) this.#markStale(changes.userId)
    this.#waiting.push({ event, read, arrival: this.#arrivals })
    this.#pump()
    if (this.#waiting.length > maxWaiting) {
      this.#waiting.length = 0
      for (const { guest } of [...this.#seats.values()]) guest.fail()
    }
  }

  #pump(): void {
    for (;;) {
      const next = this.#waiting[0]
      if (next === undefined || this.#mustLook(next)) break
      this.#waiting.shift()
      this.#pass(next)
    }
    const stale = this.#stale === 'all' || this.#stale.size > 0
    if (stale && !this.#refreshing && !this.#closed) void this.#refresh()
  }

  /** Whether the database has to be asked before it is passed on. */
  #mustLook({ read: { changes }, arrival }: Waiting): boolean {
    if (changes === undefined || arrival <= this.#fresh) return false
    return changes === 'all' || this.#seats.has(changes.userId)
  }

  /** To all who may see it; `only` to those among them, where it is given. */
  #pass({ event, read: { channelId } }: Waiting, only?: ReadonlySet<Guest>): void {
    // Whoever sees the one or saw the other has been told when the database was asked.
    if (event.t === 'CHANNEL_CREATE' || event.t === 'CHANNEL_DELETE') return
    const outgoing = this.#outgoing(event)
    const { aside } = event
    this.#groups.each(channelId, guest => {
      if (only !== undefined && !only.has(guest)) return
      if (aside === undefined || aside.userId !== guest.userId) return guest.deliver(outgoing)
      const own = this.#outgoing(toldTo(guest.userId, event))
      guest.deliver(own)
      own.settle()
    })
    outgoing.settle()
  }

  async #refresh(): Promise<void> {
    this.#refreshing = true
    const arrival = this.#arrivals
    const stale = this.#stale
    this.#stale = new Set()
    const looked = [...this.#seats.values()].filter(({ guest }) => stale === 'all' || stale.has(guest.userId))
    try {
      const view = await this.#look(looked, arrival)
      if (this.#closed) return
      this.#fresh = arrival
      this.#settle(looked, view)
      this.#refreshing = false
      this.#pump()
    } catch (error) {
      if (!this.#closed) this.#failed(error, looked)
    }
  }

  async #look(looked: readonly Seat[], arrival: number): Promise<View> {
    const { db } = this.#deps
    const userIds = looked.map(({ guest }) => guest.userId)
    const { channelIds, visible } = await audience(db, this.#serverId, userIds)
    for (const id of channelIds) this.#watch(id)
    await Promise.all(this.#channels.values())
    const differences = createDifferences()
    // An event brings the channel that it is about; what others are that come into sight has to be read.
    const about = this.#headAbout(arrival)
    const channels = new Map([[about?.read.channelId ?? '', about?.event.d]])
    const others = looked.some(({ guest }) => {
      const from = this.#groups.seenBy(guest)
      const to = visible.get(guest.userId)
      return from && to && differences(from, to).revealed.some(id => !channels.has(id))
    })
    if (others) {
      for (const channel of await channelsOfServer(db, this.#serverId)) channels.set(channel.id, channel)
    }
    return { visible, channels, differences, about }
  }

  /** The event that waits first, where it came until then, and brings a channel as it is now. */
  #headAbout(arrival: number): Waiting | undefined {
    const head = this.#waiting[0]
    if (head === undefined || head.arrival > arrival || head.read.channelId === undefined) return undefined
    return head.event.t === 'CHANNEL_CREATE' || head.event.t === 'CHANNEL_UPDATE' ? head : undefined
  }

  #settle(looked: readonly Seat[], { visible, channels, differences, about }: View): void {
    const places: Place[] = []
    const entering: (Place & { seat: Seat })[] = []
    for (const seat of looked) {
      const { guest } = seat
      // Who has left and come back meanwhile is looked at again.
      if (this.#seats.get(guest.userId) !== seat) continue
      const seen = visible.get(guest.userId)
      if (seen === undefined) this.#expel(seat)
      else if (seat.entering !== undefined) entering.push({ guest, channels: seen, seat })
      else places.push({ guest, channels: seen })
    }
    const knew = new Set<Guest>()
    if (about !== undefined) this.#groups.each(about.read.channelId, guest => knew.add(guest))
    const moves = this.#groups.place(places)
    announce({
      serverId: this.#serverId,
      moves,
      differences,
      view: id => channels.get(id),
      outgoing: event => this.#outgoing(event),
    })
    if (about !== undefined) {
      this.#waiting.shift()
      this.#pass(about, knew)
    }
    this.#groups.place(entering)
    for (const { seat } of entering) this.#admit(seat)
  }

  #admit(seat: Seat): void {
    const { guest, welcome, entering } = seat
    seat.welcome = undefined
    seat.entering = undefined
    if (welcome !== undefined) guest.deliver(welcome)
    entering?.resolve(true)
  }

  #expel(seat: Seat | undefined): void {
    if (seat === undefined) return
    const { entering, guest } = seat
    this.leave(guest)
    if (entering === undefined) guest.expelled(this.#serverId)
  }

  /** Who was to get in is told; for those who are in, everything waits and the database is asked again. */
  #failed(error: unknown, looked: readonly Seat[]): void {
    this.#deps.report(error)
    for (const { guest, entering } of looked) {
      if (entering === undefined) this.#markStale(guest.userId)
      else {
        entering.reject(error)
        this.leave(guest)
      }
    }
    this.#retry = this.#deps.timers.after(retryMs, () => {
      this.#refreshing = false
      this.#pump()
    })
  }

  #markStale(userId: string): void {
    if (this.#stale !== 'all') this.#stale.add(userId)
  }

  #watch(id: string): void {
    if (this.#closed || this.#channels.has(id)) return
    const read: ServerEvent = { channelId: id, changes: undefined, removed: undefined }
    const listening = this.#deps.bus.subscribe(subjects.channel(id), message => {
      const event = readEvent(message)
      if (event !== undefined) this.#arrive(event, read)
    })
    this.#channels.set(id, listening)
    listening.catch(() => {
      if (this.#channels.get(id) === listening) this.#channels.delete(id)
    })
  }

  #unwatch(id: string): void {
    const listening = this.#channels.get(id)
    this.#channels.delete(id)
    listening?.then(
      subscription => subscription.close(),
      () => {},
    )
  }

  #outgoing(event: Event): Outgoing {
    return new Outgoing(event, this.#deps.clock())
  }
}
