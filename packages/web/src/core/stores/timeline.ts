import type { Message } from '@gatehouse/protocol/messages'
import type { User } from '@gatehouse/protocol/users'
import type { Problem } from '../api/client.ts'

/**
 * The messages of one channel: a contiguous range of its history, and the messages that are being sent. The functions
 * of this file and of `message-range.ts` return a new timeline, or the same object if nothing changed.
 */
export interface Timeline {
  /** The loaded range, oldest first. */
  messages: readonly Message[]
  pending: readonly Pending[]
  /** Whether the newest page has been loaded. */
  loaded: boolean
  /** Whether the range includes the first message of the channel. */
  reachesStart: boolean
  /** Whether the range includes the newest message, so that a new message belongs at its end. */
  reachesEnd: boolean
  /** The last messages that arrived while the range did not reach the end, oldest first. */
  buffered: readonly Message[]
  /**
   * Ephemeral messages outside of the range. The API does not return them, so they are stored until the range reaches
   * them.
   */
  detached: readonly Message[]
  /**
   * The ids of up to `maxArrivedIds` messages that events created, in order of arrival. The jump button counts those
   * that are unseen.
   */
  arrivedIds: readonly string[]
  /** A page that was requested before a deletion must not restore the message. */
  deletedIds: ReadonlySet<string>
}

/**
 * A row of the message list for a message of the outbox, which the service has not accepted yet. `UnsentMessage` is how
 * it is stored.
 */
export interface Pending {
  /** The service accepts a nonce once, so the request can be repeated. */
  nonce: string
  content: string
  createdAt: string
  state: 'sending' | 'failed'
  /** Why it failed. */
  problem?: Problem
  /** The failure was temporary: the message is sent again when the service can be reached. */
  transient?: true
}

export const emptyTimeline: Timeline = {
  messages: [],
  pending: [],
  loaded: false,
  reachesStart: false,
  reachesEnd: true,
  buffered: [],
  detached: [],
  arrivedIds: [],
  deletedIds: new Set(),
}

/** More than arrives while a page is loading. */
export const maxBuffered = 100
export const maxArrivedIds = 1000

/** Ids are decimal numbers in the order of creation. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}

/** The newer version of a message. Pages and events may arrive in any order. */
export function newerVersion(known: Message, received: Message): Message {
  if (known.state !== 'deferred' && received.state === 'deferred') return known
  if (known.editedAt && (!received.editedAt || received.editedAt < known.editedAt)) return known
  return received
}

function insertSorted(messages: readonly Message[], message: Message): readonly Message[] {
  let index = messages.length
  while (index > 0) {
    const other = messages[index - 1]
    if (!other) break
    const order = compareIds(other.id, message.id)
    if (order === 0) return messages.with(index - 1, newerVersion(other, message))
    if (order < 0) break
    index -= 1
  }
  return messages.toSpliced(index, 0, message)
}

/** Whether the message is newer than a range that does not reach the end. */
function isAfterRange({ messages, reachesEnd }: Timeline, id: string): boolean {
  const last = messages.at(-1)
  return !reachesEnd && (last === undefined || compareIds(id, last.id) > 0)
}

/** Whether the message is older than a range that does not reach the start. */
function isBeforeRange({ messages: [first], loaded, reachesStart }: Timeline, id: string): boolean {
  return loaded && !reachesStart && first !== undefined && compareIds(id, first.id) < 0
}

/** Adds or replaces a message of an event or of the response to its request. */
export function putMessage(timeline: Timeline, message: Message): Timeline {
  if (timeline.deletedIds.has(message.id)) return timeline
  // The response to a repeated request may have an old message. The ones after it may not be loaded.
  if (!message.ephemeral && isBeforeRange(timeline, message.id)) return timeline
  if (!isAfterRange(timeline, message.id)) {
    return { ...timeline, messages: insertSorted(timeline.messages, message) }
  }
  if (message.ephemeral) return { ...timeline, detached: insertSorted(timeline.detached, message) }
  return { ...timeline, buffered: insertSorted(timeline.buffered, message).slice(-maxBuffered) }
}

/** Replaces a message. Does not add one that is outside of the range. */
export function updateMessage(timeline: Timeline, message: Message): Timeline {
  const { id } = message
  const replaceIn = (list: readonly Message[]) =>
    list.some(other => other.id === id) ? insertSorted(list, message) : list
  const [buffered, detached] = [replaceIn(timeline.buffered), replaceIn(timeline.detached)]
  if (buffered !== timeline.buffered || detached !== timeline.detached) {
    return { ...timeline, buffered, detached }
  }
  if (isAfterRange(timeline, id)) return timeline
  const oldest = timeline.messages[0]
  const inRange = oldest !== undefined && compareIds(id, oldest.id) >= 0
  return inRange || timeline.reachesStart ? putMessage(timeline, message) : timeline
}

export function removeMessage(timeline: Timeline, id: string): Timeline {
  const without = (list: readonly Message[]) => list.filter(message => message.id !== id)
  return {
    ...timeline,
    messages: without(timeline.messages),
    buffered: without(timeline.buffered),
    detached: without(timeline.detached),
    arrivedIds: timeline.arrivedIds.filter(other => other !== id),
    deletedIds: new Set(timeline.deletedIds).add(id),
  }
}

/** A retry keeps its position. */
export function addPending(timeline: Timeline, pending: Pending): Timeline {
  const index = timeline.pending.findIndex(({ nonce }) => nonce === pending.nonce)
  const list = index < 0 ? [...timeline.pending, pending] : timeline.pending.with(index, pending)
  return { ...timeline, pending: list }
}

/** The service accepted the pending message. */
export function resolvePending(timeline: Timeline, nonce: string, message: Message): Timeline {
  const pending = timeline.pending.filter(other => other.nonce !== nonce)
  return putMessage({ ...timeline, pending }, message)
}

export function failPending(
  timeline: Timeline,
  nonce: string,
  failure: Pick<Pending, 'problem' | 'transient'>,
): Timeline {
  const pending = timeline.pending.map((other): Pending => {
    if (other.nonce !== nonce) return other
    const { content, createdAt } = other
    return { nonce, content, createdAt, state: 'failed', ...failure }
  })
  return { ...timeline, pending }
}

export function removePending(timeline: Timeline, nonce: string): Timeline {
  if (!timeline.pending.some(other => other.nonce === nonce)) return timeline
  return { ...timeline, pending: timeline.pending.filter(other => other.nonce !== nonce) }
}

/** MESSAGE_CREATE. The event of an own message may arrive before the response to its request; both have the nonce. */
export function addArrived(timeline: Timeline, message: Message, nonce: string | undefined): Timeline {
  const ids = timeline.arrivedIds
  const arrivedIds = ids.includes(message.id) ? ids : [...ids, message.id].slice(-maxArrivedIds)
  const counted = { ...timeline, arrivedIds }
  return nonce === undefined ? putMessage(counted, message) : resolvePending(counted, nonce, message)
}

/** Shows the current name and avatar of the user on their messages. */
export function updateAuthor(timeline: Timeline, user: User): Timeline {
  const isOutdated = ({ author }: Message) =>
    author.id === user.id &&
    author.webhookId === undefined &&
    (author.displayName !== user.displayName ||
      author.username !== user.username ||
      author.avatar !== user.avatar)
  const { messages, buffered, detached } = timeline
  if (![messages, buffered, detached].some(list => list.some(isOutdated))) return timeline
  const update = (list: readonly Message[]) =>
    list.map(message => (isOutdated(message) ? { ...message, author: user } : message))
  return { ...timeline, messages: update(messages), buffered: update(buffered), detached: update(detached) }
}

/** The last editable message of the user, which the arrow up key edits in an empty composer. */
export function findLastOwnMessage(timeline: Timeline, selfId: string): Message | undefined {
  if (!timeline.reachesEnd) return undefined
  return timeline.messages.findLast(
    message => message.author.id === selfId && !message.ephemeral && !message.interaction,
  )
}
