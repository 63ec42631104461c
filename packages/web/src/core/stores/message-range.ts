import type { Message } from '@gatehouse/protocol/messages'
import { compareIds, maxArrivedIds, maxBuffered, newerVersion, type Timeline } from './timeline.ts'

/** A range of more than `max` messages is trimmed to `trimmed` messages. */
export const rangeSize = { max: 1000, trimmed: 700 } as const

/** Adds a page to the range, oldest first, with the newer version of each message and without deleted ones. */
function merge(timeline: Timeline, page: readonly Message[]): Message[] {
  const byId = new Map(timeline.messages.map(message => [message.id, message]))
  for (const message of page) {
    if (timeline.deletedIds.has(message.id)) continue
    const other = byId.get(message.id)
    byId.set(message.id, other ? newerVersion(other, message) : message)
  }
  return [...byId.values()].sort((a, b) => compareIds(a.id, b.id))
}

/** The first and last id of the range that the service stores, so without ephemeral messages. */
export function rangeEnds({ messages }: Pick<Timeline, 'messages'>): {
  oldest: string | undefined
  newest: string | undefined
} {
  return {
    oldest: messages.find(({ ephemeral }) => !ephemeral)?.id,
    newest: messages.findLast(({ ephemeral }) => !ephemeral)?.id,
  }
}

/** Moves buffered messages into a range that includes the end, and ephemeral messages into or out of the range. */
function rearrange(timeline: Timeline): Timeline {
  // A buffered message before the first of the range is older history: messages between them may be missing.
  const first = timeline.reachesStart ? '0' : rangeEnds(timeline).oldest
  const joining = timeline.buffered.filter(({ id }) => first !== undefined && compareIds(id, first) > 0)
  const all = timeline.reachesEnd ? merge(timeline, joining) : timeline.messages
  const buffered = timeline.reachesEnd ? [] : timeline.buffered
  const { oldest, newest } = rangeEnds({ messages: all })
  const isInRange = ({ id }: Message) =>
    (timeline.reachesStart || (oldest !== undefined && compareIds(id, oldest) > 0)) &&
    (timeline.reachesEnd || (newest !== undefined && compareIds(id, newest) < 0))
  const ephemeral = [...timeline.detached, ...all.filter(message => message.ephemeral)]
  const stored = all.filter(message => !message.ephemeral)
  const messages = merge({ ...timeline, messages: stored }, ephemeral.filter(isInRange))
  return { ...timeline, messages, buffered, detached: ephemeral.filter(message => !isInRange(message)) }
}

/** Adds the newest page, newest first. `full`: it has as many messages as the request asked for. */
export function addNewestPage(timeline: Timeline, page: readonly Message[], full: boolean): Timeline {
  // Between an older message and a full page, others may be missing. It is loaded again when the user scrolls to it.
  const start = (full ? page.at(-1)?.id : undefined) ?? '0'
  const messages = timeline.messages.filter(({ id, ephemeral }) => ephemeral || compareIds(id, start) >= 0)
  return rearrange({
    ...timeline,
    messages: merge({ ...timeline, messages }, page),
    loaded: true,
    reachesStart: !full,
    reachesEnd: true,
  })
}

/** Adds the page before the message `before`, unless the range no longer starts there. */
export function addOlderPage(
  timeline: Timeline,
  page: readonly Message[],
  full: boolean,
  before: string,
): Timeline {
  if (rangeEnds(timeline).oldest !== before) return timeline
  const reachesStart = timeline.reachesStart || !full
  return rearrange({ ...timeline, messages: merge(timeline, page), reachesStart })
}

/** Adds the page after the message `after`, newest first, unless the range no longer ends there. */
export function addNewerPage(
  timeline: Timeline,
  page: readonly Message[],
  full: boolean,
  after: string,
): Timeline {
  if (timeline.reachesEnd || rangeEnds(timeline).newest !== after) return timeline
  return rearrange({ ...timeline, messages: merge(timeline, page), reachesEnd: !full })
}

/** Replaces the range. `page` may have any order. */
export function replaceRange(
  timeline: Timeline,
  page: readonly Message[],
  ends: Pick<Timeline, 'reachesStart' | 'reachesEnd'>,
): Timeline {
  const ephemeral = timeline.messages.filter(message => message.ephemeral)
  const rest = { ...timeline, messages: [], detached: [...timeline.detached, ...ephemeral] }
  // Messages at the end of the old range may have arrived after the page was read.
  const tail = timeline.reachesEnd ? timeline.messages.slice(-maxBuffered) : []
  const last = page.reduce((id, message) => (compareIds(id, message.id) < 0 ? message.id : id), '0')
  const newer = tail.filter(message => !message.ephemeral && compareIds(message.id, last) > 0)
  const buffered = [...newer, ...timeline.buffered].slice(-maxBuffered)
  return rearrange({ ...rest, ...ends, messages: merge(rest, page), buffered, loaded: true })
}

/** Leaves at most `size` messages around the message `around`. */
export function trimRange(timeline: Timeline, around: string, size: number = rangeSize.trimmed): Timeline {
  const { messages } = timeline
  if (messages.length <= size) return timeline
  const found = messages.findIndex(({ id }) => compareIds(id, around) >= 0)
  const middle = found < 0 ? messages.length - 1 : found
  const from = Math.max(0, Math.min(middle - Math.floor(size / 2), messages.length - size))
  const remaining = messages.slice(from, from + size)
  const removed = [...messages.slice(0, from), ...messages.slice(from + size)]
  if (!remaining.some(({ ephemeral }) => !ephemeral)) return timeline
  return rearrange({
    ...timeline,
    messages: remaining,
    detached: [...timeline.detached, ...removed.filter(({ ephemeral }) => ephemeral)],
    reachesStart: timeline.reachesStart && from === 0,
    reachesEnd: timeline.reachesEnd && from + size === messages.length,
  })
}

/**
 * Applies the newest page after a gap in the events. `stale` is the timeline before the request: a message of it that
 * is not on the page was deleted or is older than the page, so it is removed, to be loaded again when the user scrolls
 * to it. Ephemeral messages and messages that arrived since then stay.
 */
export function refreshNewestPage(
  timeline: Timeline,
  newest: readonly Message[],
  full: boolean,
  stale: Timeline,
): Timeline {
  const staleIds = new Set(stale.messages.map(({ id }) => id))
  const messages = timeline.messages.filter(({ id, ephemeral }) => ephemeral || !staleIds.has(id))
  const last = rangeEnds(stale).newest ?? '0'
  const missed = stale.loaded ? newest.filter(({ id }) => compareIds(id, last) > 0).map(({ id }) => id) : []
  const arrivedIds = [...timeline.arrivedIds, ...missed.reverse()].slice(-maxArrivedIds)
  return addNewestPage({ ...timeline, messages, arrivedIds }, newest, full)
}

/**
 * Applies the pages of a range after a gap in the events, for a range that does not reach the end. `messages` are those
 * of all pages, in any order; `stale` is the timeline before the requests. `reachesEnd`: the last page was not full.
 */
export function refreshRange(
  timeline: Timeline,
  messages: readonly Message[],
  reachesEnd: boolean,
  stale: Timeline,
): Timeline {
  const [before, current] = [rangeEnds(stale), rangeEnds(timeline)]
  // The user has moved to a range that was read after the gap.
  if (timeline.reachesEnd || before.oldest === undefined || before.newest === undefined) return timeline
  if (current.oldest === undefined || current.newest === undefined) return timeline
  if (compareIds(current.oldest, before.newest) > 0) return timeline
  if (compareIds(current.newest, before.oldest) < 0) return timeline
  const staleIds = new Set(stale.messages.map(({ id }) => id))
  const readIds = new Set(messages.map(({ id }) => id))
  const remaining = timeline.messages.filter(
    ({ id, ephemeral }) => ephemeral || !staleIds.has(id) || readIds.has(id),
  )
  const start = current.oldest
  const inRange = messages.filter(({ id }) => compareIds(id, start) >= 0)
  return rearrange({
    ...timeline,
    messages: merge({ ...timeline, messages: remaining }, inRange),
    reachesEnd,
  })
}

/** Whether the first message after `messageId` is loaded, or there is none. */
export function includesNext(timeline: Timeline, messageId: string): boolean {
  const { oldest, newest } = rangeEnds(timeline)
  const startsBefore = timeline.reachesStart || (oldest !== undefined && compareIds(oldest, messageId) <= 0)
  return startsBefore && (timeline.reachesEnd || (newest !== undefined && compareIds(newest, messageId) > 0))
}
