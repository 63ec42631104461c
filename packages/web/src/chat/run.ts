import type { Message } from '@gatehouse/protocol/messages'
import { compareIds, fresher, maxAhead, maxArrivals, type Timeline } from './timeline.ts'

/** How many messages are loaded at most, and how many are left when that is too many. */
export const runSize = { most: 1000, left: 700 } as const
/** The messages with those of a page among them, oldest first; of doubles the fresher, of what was deleted none. */
function merge(timeline: Timeline, page: readonly Message[]): Message[] {
  const known = new Map(timeline.messages.map(message => [message.id, message]))
  for (const message of page) {
    if (timeline.deleted.has(message.id)) continue
    const other = known.get(message.id)
    known.set(message.id, other ? fresher(other, message) : message)
  }
  return [...known.values()].sort((a, b) => compareIds(a.id, b.id))
}

/** The first and the last message of the run that the service keeps. */
export function edges({ messages }: Pick<Timeline, 'messages'>): {
  oldest: string | undefined
  newest: string | undefined
} {
  return {
    oldest: messages.find(({ ephemeral }) => !ephemeral)?.id,
    newest: messages.findLast(({ ephemeral }) => !ephemeral)?.id,
  }
}

/** What arrived meanwhile joins the run where it reaches the present; ephemeral messages are in it or wait beside it. */
function settle(timeline: Timeline): Timeline {
  // What arrived before the first of the run is older history: between them others may be missing.
  const first = timeline.complete ? '0' : edges(timeline).oldest
  const joining = timeline.ahead.filter(({ id }) => first !== undefined && compareIds(id, first) > 0)
  const whole = timeline.present ? merge(timeline, joining) : timeline.messages
  const ahead = timeline.present ? [] : timeline.ahead
  const { oldest, newest } = edges({ messages: whole })
  const inside = ({ id }: Message) =>
    (timeline.complete || (oldest !== undefined && compareIds(id, oldest) > 0)) &&
    (timeline.present || (newest !== undefined && compareIds(id, newest) < 0))
  const own = [...timeline.aside, ...whole.filter(({ ephemeral }) => ephemeral)]
  const kept = whole.filter(({ ephemeral }) => !ephemeral)
  const messages = merge({ ...timeline, messages: kept }, own.filter(inside))
  return { ...timeline, messages, ahead, aside: own.filter(message => !inside(message)) }
}

/** The newest page of history, newest first as the contract gives it; `full` when it had as many as were asked for. */
export function addPage(timeline: Timeline, page: readonly Message[], full: boolean): Timeline {
  const complete = timeline.complete || !full
  return settle({ ...timeline, messages: merge(timeline, page), loaded: true, complete, present: true })
}

/** The page before the message `before`; nothing where the run begins elsewhere by now. */
export function addOlder(
  timeline: Timeline,
  page: readonly Message[],
  full: boolean,
  before: string,
): Timeline {
  if (edges(timeline).oldest !== before) return timeline
  return settle({ ...timeline, messages: merge(timeline, page), complete: timeline.complete || !full })
}

/** The page after the message `after`, newest first; nothing where the run ends elsewhere by now. */
export function addNewer(
  timeline: Timeline,
  page: readonly Message[],
  full: boolean,
  after: string,
): Timeline {
  if (timeline.present || edges(timeline).newest !== after) return timeline
  return settle({ ...timeline, messages: merge(timeline, page), present: !full })
}

/** Another run in the place of this one; `page` is of any order. */
export function replaceRun(
  timeline: Timeline,
  page: readonly Message[],
  ends: Pick<Timeline, 'complete' | 'present'>,
): Timeline {
  const own = timeline.messages.filter(({ ephemeral }) => ephemeral)
  const rest = { ...timeline, messages: [], aside: [...timeline.aside, ...own] }
  // What arrived at the end of the old run may have come after the page was read.
  const arrived = timeline.present ? timeline.messages.slice(-maxAhead) : []
  const last = page.reduce((id, message) => (compareIds(id, message.id) < 0 ? message.id : id), '0')
  const since = arrived.filter(({ id, ephemeral }) => !ephemeral && compareIds(id, last) > 0)
  const ahead = [...since, ...timeline.ahead].slice(-maxAhead)
  return settle({ ...rest, ...ends, messages: merge(rest, page), ahead, loaded: true })
}

/** At most `left` messages, those around the message `around`. */
export function trim(timeline: Timeline, around: string, left: number = runSize.left): Timeline {
  const { messages } = timeline
  if (messages.length <= left) return timeline
  const found = messages.findIndex(({ id }) => compareIds(id, around) >= 0)
  const middle = found < 0 ? messages.length - 1 : found
  const from = Math.max(0, Math.min(middle - Math.floor(left / 2), messages.length - left))
  const kept = messages.slice(from, from + left)
  const dropped = [...messages.slice(0, from), ...messages.slice(from + left)]
  if (!kept.some(({ ephemeral }) => !ephemeral)) return timeline
  const own = dropped.filter(({ ephemeral }) => ephemeral)
  return settle({
    ...timeline,
    messages: kept,
    aside: [...timeline.aside, ...own],
    complete: timeline.complete && from === 0,
    present: timeline.present && from + left === messages.length,
  })
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
  const last = edges(stale).newest ?? '0'
  const missed = newest.filter(({ id }) => compareIds(id, last) > 0).map(({ id }) => id)
  const arrivals = [...timeline.arrivals, ...missed.reverse()].slice(-maxArrivals)
  return addPage({ ...timeline, messages, arrivals, complete: false }, newest, full)
}

/**
 * The run that was loaded when events were missed, read again in pages (all of them, newest first or not). `reached`:
 * the last page was not full, so that the run reaches the present.
 */
export function refreshRun(
  timeline: Timeline,
  page: readonly Message[],
  reached: boolean,
  stale: Timeline,
): Timeline {
  const [before, now] = [edges(stale), edges(timeline)]
  // One went elsewhere meanwhile, to what was read after the gap.
  if (timeline.present || before.oldest === undefined || before.newest === undefined) return timeline
  const read = new Set(page.map(({ id }) => id))
  if (now.oldest === undefined || now.newest === undefined) return timeline
  if (compareIds(now.oldest, before.newest) > 0 || compareIds(now.newest, before.oldest) < 0) return timeline
  const old = new Set(stale.messages.map(({ id }) => id))
  const messages = timeline.messages.filter(({ id, ephemeral }) => ephemeral || !old.has(id) || read.has(id))
  const from = now.oldest
  const inside = page.filter(({ id }) => compareIds(id, from) >= 0)
  return settle({ ...timeline, messages: merge({ ...timeline, messages }, inside), present: reached })
}

/** Whether what follows the message is loaded, from the first of it on. */
export function reaches(timeline: Timeline, messageId: string): boolean {
  const { oldest, newest } = edges(timeline)
  const from = timeline.complete || (oldest !== undefined && compareIds(oldest, messageId) <= 0)
  return from && (timeline.present || (newest !== undefined && compareIds(newest, messageId) > 0))
}
