import type { Message } from '@gatehouse/protocol/messages'

/**
 * What the client knows of one channel's messages: a gapless run of the newest ones, and what is being sent.
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
  /** The message that most likely is this one, seen before the answer to the request. */
  seenAs?: string
}

export const emptyTimeline: Timeline = {
  messages: [],
  pending: [],
  loaded: false,
  complete: false,
  deleted: new Set(),
}

/** By age: ids are decimal numbers whose order is that of creation. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}

/** The fresher of two versions: pages and events overtake each other. */
function fresher(known: Message, came: Message): Message {
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

/** A page of history, newest first as the contract gives it; `full` when the page had as many as were asked for. */
export function addPage(timeline: Timeline, page: readonly Message[], full: boolean): Timeline {
  const known = new Map(timeline.messages.map(message => [message.id, message]))
  for (const message of page) {
    if (timeline.deleted.has(message.id)) continue
    const other = known.get(message.id)
    known.set(message.id, other ? fresher(other, message) : message)
  }
  const messages = [...known.values()].sort((a, b) => compareIds(a.id, b.id))
  return { ...timeline, messages, loaded: true, complete: timeline.complete || !full }
}

/**
 * The newest page of history, read again after events were missed; `stale` is the timeline of before the reading. What
 * was known then and is not on the page was deleted meanwhile or is older than the page: it is left out, to be read
 * again when it is scrolled to. Ephemeral messages are in no history and stay; so does what arrived since.
 */
export function refresh(
  timeline: Timeline,
  newest: readonly Message[],
  full: boolean,
  stale: Timeline,
): Timeline {
  const old = new Set(stale.messages.map(message => message.id))
  const messages = timeline.messages.filter(message => message.ephemeral || !old.has(message.id))
  return addPage({ ...timeline, messages, complete: false }, newest, full)
}

/** A message that came by an event or as the answer to a request. */
export function upsert(timeline: Timeline, message: Message): Timeline {
  if (timeline.deleted.has(message.id)) return timeline
  return { ...timeline, messages: place(timeline.messages, message) }
}

/** An event about a message that may lie outside of what is loaded: then it is not added. */
export function update(timeline: Timeline, message: Message): Timeline {
  const known = timeline.messages.some(other => other.id === message.id)
  const oldest = timeline.messages[0]
  const inside = oldest === undefined ? timeline.complete : compareIds(message.id, oldest.id) > 0
  return known || inside || timeline.complete ? upsert(timeline, message) : timeline
}

export function remove(timeline: Timeline, id: string): Timeline {
  return {
    ...timeline,
    messages: timeline.messages.filter(message => message.id !== id),
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

export function failed(timeline: Timeline, nonce: string, problem: string): Timeline {
  const pending = timeline.pending.map(
    ({ seenAs: _, ...other }): Pending =>
      other.nonce === nonce ? { ...other, state: 'failed', problem } : other,
  )
  return { ...timeline, pending }
}

export function dropPending(timeline: Timeline, nonce: string): Timeline {
  return { ...timeline, pending: timeline.pending.filter(other => other.nonce !== nonce) }
}

/**
 * A new message by an event. The event of one's own message can come before the answer to the request: then the row
 * that is being sent is taken for it at once, or it would stand there twice for a moment.
 */
export function arrived(timeline: Timeline, message: Message, selfId: string): Timeline {
  const next = upsert(timeline, message)
  if (message.author.id !== selfId || timeline.messages.some(other => other.id === message.id)) return next
  const match = timeline.pending.find(
    pending => pending.state === 'sending' && !pending.seenAs && pending.content === message.content,
  )
  if (!match) return next
  const pending = next.pending.map(other => (other === match ? { ...other, seenAs: message.id } : other))
  return { ...next, pending }
}

/** What is shown as being sent: not what has been seen as a message already. */
export function visiblePending(timeline: Timeline): readonly Pending[] {
  return timeline.pending.filter(pending => !pending.seenAs)
}

/** The last message of one's own that can be edited: for the arrow up in an empty composer. */
export function lastOwn(timeline: Timeline, selfId: string): Message | undefined {
  return timeline.messages.findLast(
    message => message.author.id === selfId && !message.ephemeral && !message.interaction,
  )
}
