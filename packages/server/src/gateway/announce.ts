import type { Event } from '../platform/events.ts'
import type { Channels, Difference, Guest, Move } from './groups.ts'
import type { Outgoing } from './outgoing.ts'

interface Announcement {
  serverId: string
  moves: readonly Move[]
  differences: (from: Channels, to: Channels) => Difference
  /** The channel as whoever sees it for the first time is told; undefined where it is gone again. */
  view: (channelId: string) => unknown
  outgoing: (event: Event) => Outgoing
}

/** Tells each guest which channels went out of their sight, and which came into it. */
export function announce({ serverId, moves, differences, view, outgoing }: Announcement): void {
  const hide = once(id => outgoing({ t: 'CHANNEL_DELETE', d: { id, serverId } }))
  const reveal = once(id => {
    const channel = view(id)
    return channel === undefined ? undefined : outgoing({ t: 'CHANNEL_CREATE', d: channel })
  })
  for (const { guest, from, to } of moves) {
    const { hidden, revealed } = differences(from, to)
    for (const id of hidden) tell(guest, hide(id))
    for (const id of revealed) tell(guest, reveal(id))
  }
}

function tell(guest: Guest, event: Outgoing | undefined): void {
  if (event !== undefined) guest.deliver(event)
}

/** Made for the first guest, shared by all. */
function once<T>(make: (id: string) => T): (id: string) => T {
  const made = new Map<string, { value: T }>()
  return id => {
    const known = made.get(id) ?? { value: make(id) }
    made.set(id, known)
    return known.value
  }
}
