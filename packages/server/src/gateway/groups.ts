import type { Outgoing } from './outgoing.ts'

/** Somebody in a room. */
export interface Guest {
  readonly userId: string
  deliver(event: Outgoing): void
  /** The server is theirs no longer; that they are told is for others. */
  expelled(serverId: string): void
  /** What they receive cannot be kept right: they must start anew. */
  fail(): void
}

export type Channels = ReadonlySet<string>

/** The guest saw the channels `from`, and sees `to` from now on. */
export interface Move {
  guest: Guest
  from: Channels
  to: Channels
}

interface Group {
  channels: Channels
  guests: Set<Guest>
}

/** The guests of a room, by what they may see: those who see the same share it, and an event is decided once for all. */
export class Groups {
  readonly #byChannels = new Map<string, Group>()
  readonly #of = new Map<Guest, Group>()

  /** Those who may see the channel; all, where there is none. */
  each(channelId: string | undefined, use: (guest: Guest) => void): void {
    for (const { channels, guests } of this.#byChannels.values()) {
      if (channelId === undefined || channels.has(channelId)) for (const guest of guests) use(guest)
    }
  }

  seenBy(guest: Guest): Channels | undefined {
    return this.#of.get(guest)?.channels
  }

  /** Answers the moves of those who were there before. */
  place(places: readonly { guest: Guest; channels: Channels }[]): Move[] {
    const groups = new Map<Channels, Group>()
    const moves: Move[] = []
    for (const { guest, channels } of places) {
      const group = groups.get(channels) ?? this.#group(channels)
      groups.set(channels, group)
      const before = this.#of.get(guest)
      if (before === group) continue
      before?.guests.delete(guest)
      group.guests.add(guest)
      this.#of.set(guest, group)
      if (before !== undefined) moves.push({ guest, from: before.channels, to: group.channels })
    }
    for (const [key, { guests }] of this.#byChannels) if (guests.size === 0) this.#byChannels.delete(key)
    return moves
  }

  remove(guest: Guest): void {
    this.#of.get(guest)?.guests.delete(guest)
    this.#of.delete(guest)
  }

  #group(channels: Channels): Group {
    const key = [...channels].sort().join()
    const group = this.#byChannels.get(key) ?? { channels, guests: new Set() }
    this.#byChannels.set(key, group)
    return group
  }
}

export interface Difference {
  hidden: string[]
  revealed: string[]
}

/** What changes from one set of channels to another, found out once for all who move alike. */
export function createDifferences(): (from: Channels, to: Channels) => Difference {
  const known = new Map<Channels, Map<Channels, Difference>>()
  return (from, to) => {
    const ofFrom = known.get(from) ?? new Map<Channels, Difference>()
    known.set(from, ofFrom)
    const difference = ofFrom.get(to) ?? {
      hidden: [...from].filter(id => !to.has(id)),
      revealed: [...to].filter(id => !from.has(id)),
    }
    ofFrom.set(to, difference)
    return difference
  }
}
