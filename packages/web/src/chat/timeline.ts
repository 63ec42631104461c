import type { Message } from '@gatehouse/protocol/messages'
import type { User } from '@gatehouse/protocol/users'

/**
 * What the client knows of one channel's messages: a gapless run of them around where one reads, and what is being sent.
 * Pure: every function gives a new timeline, or the same one where nothing changed.
 */
export interface Timeline {
  /** Oldest first. */
  messages: readonly Message[]
  pending: readonly Pending[]
  /** Whether the newest page has been loaded. */
  loaded: boolean
  /** Whether the first message of the channel is among `messages`. */
  complete: boolean
  /** Whether the run reaches the newest message, so that what arrives belongs at its end. */
  present: boolean
  /** What arrived while the run did not reach the newest message, oldest first: the last of it, for when it does. */
  ahead: readonly Message[]
  /** Ephemeral messages outside of the run. No history has them, so they wait here until the run comes by. */
  aside: readonly Message[]
  /** Ids of what came by events, in the order in which it came; the last of them. */
  arrivals: readonly string[]
  /** Ids that were deleted: a page that was under way must not bring them back. */
  deleted: ReadonlySet<string>
}

/** A message on its way out. Its nonce makes a repeat harmless. */
export interface Pending {
  nonce: string
  content: string
  createdAt: string
  state: 'sending' | 'failed'
  /** Why it failed, in words for the person. */
  problem?: string
  /** It was not judged, only not delivered: it goes out again when the service is reached. */
  passing?: true
}

export const emptyTimeline: Timeline = {
  messages: [],
  pending: [],
  loaded: false,
  complete: false,
  present: true,
  ahead: [],
  aside: [],
  arrivals: [],
  deleted: new Set(),
}

/** How much of what arrives is kept while one reads elsewhere: more than comes while a page is under way. */
export const maxAhead = 100
export const maxArrivals = 1000

/** By age: ids are decimal numbers whose order is that of creation. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}

/** The fresher of two versions: pages and events overtake each other. */
export function fresher(known: Message, came: Message): Message {
  if (known.state !== 'deferred' && came.state === 'deferred') return known
  if (known.editedAt && (!came.editedAt || came.editedAt < known.editedAt)) return known
  return came
}

function place(messages: readonly Message[], message: Message): readonly Message[] {
  let at = messages.length
  while (at > 0) {
    const other = messages[at - 1]
    if (!other) break
    const order = compareIds(other.id, message.id)
    if (order === 0) return messages.with(at - 1, fresher(other, message))
    if (order < 0) break
    at -= 1
  }
  return messages.toSpliced(at, 0, message)
}

/** Whether it is newer than all of a run that does not reach the present. */
function isAhead({ messages, present }: Timeline, id: string): boolean {
  const last = messages.at(-1)
  return !present && (last === undefined || compareIds(id, last.id) > 0)
}

/** A message that came by an event or as the answer to a request. */
export function upsert(timeline: Timeline, message: Message): Timeline {
  if (timeline.deleted.has(message.id)) return timeline
  if (!isAhead(timeline, message.id)) return { ...timeline, messages: place(timeline.messages, message) }
  if (message.ephemeral) return { ...timeline, aside: place(timeline.aside, message) }
  return { ...timeline, ahead: place(timeline.ahead, message).slice(-maxAhead) }
}

/** An event about a message that may lie outside of what is loaded: then it is not added. */
export function update(timeline: Timeline, message: Message): Timeline {
  const { id } = message
  const isIt = (other: Message) => other.id === id
  const exchange = (list: readonly Message[]) => (list.some(isIt) ? place(list, message) : list)
  const [ahead, aside] = [exchange(timeline.ahead), exchange(timeline.aside)]
  if (ahead !== timeline.ahead || aside !== timeline.aside) return { ...timeline, ahead, aside }
  if (isAhead(timeline, id)) return timeline
  const oldest = timeline.messages[0]
  const inside = oldest !== undefined && compareIds(id, oldest.id) >= 0
  return inside || timeline.complete ? upsert(timeline, message) : timeline
}

export function remove(timeline: Timeline, id: string): Timeline {
  const others = (list: readonly Message[]) => list.filter(message => message.id !== id)
  return {
    ...timeline,
    messages: others(timeline.messages),
    ahead: others(timeline.ahead),
    aside: others(timeline.aside),
    arrivals: timeline.arrivals.filter(other => other !== id),
    deleted: new Set(timeline.deleted).add(id),
  }
}

export function addPending(timeline: Timeline, pending: Pending): Timeline {
  const others = timeline.pending.filter(other => other.nonce !== pending.nonce)
  return { ...timeline, pending: [...others, pending] }
}

/** The request of `nonce` was answered with the message. */
export function sent(timeline: Timeline, nonce: string, message: Message): Timeline {
  const pending = timeline.pending.filter(other => other.nonce !== nonce)
  return upsert({ ...timeline, pending }, message)
}

export function failed(
  timeline: Timeline,
  nonce: string,
  why: Pick<Pending, 'problem' | 'passing'>,
): Timeline {
  const pending = timeline.pending.map(
    (other): Pending => (other.nonce === nonce ? { ...other, state: 'failed', ...why } : other),
  )
  return { ...timeline, pending }
}

export function dropPending(timeline: Timeline, nonce: string): Timeline {
  return { ...timeline, pending: timeline.pending.filter(other => other.nonce !== nonce) }
}

/** A new message by an event; that of one's own can come before the answer to its request, which has the same nonce. */
export function arrived(timeline: Timeline, message: Message, nonce: string | undefined): Timeline {
  const { arrivals } = timeline
  const counted = arrivals.includes(message.id) ? arrivals : [...arrivals, message.id].slice(-maxArrivals)
  const noted = { ...timeline, arrivals: counted }
  return nonce === undefined ? upsert(noted, message) : sent(noted, nonce, message)
}

/** As they are called and look from now on. */
export function renamed(timeline: Timeline, user: User): Timeline {
  const outdated = ({ author }: Message) =>
    author.id === user.id &&
    author.webhookId === undefined &&
    (author.displayName !== user.displayName ||
      author.username !== user.username ||
      author.avatar !== user.avatar)
  const { messages, ahead, aside } = timeline
  if (![messages, ahead, aside].some(list => list.some(outdated))) return timeline
  const named = (list: readonly Message[]) =>
    list.map(message => (outdated(message) ? { ...message, author: user } : message))
  return { ...timeline, messages: named(messages), ahead: named(ahead), aside: named(aside) }
}

/** The last message of one's own that can be edited, where it is loaded: for the arrow up in an empty composer. */
export function lastOwn(timeline: Timeline, selfId: string): Message | undefined {
  if (!timeline.present) return undefined
  return timeline.messages.findLast(
    message => message.author.id === selfId && !message.ephemeral && !message.interaction,
  )
}
