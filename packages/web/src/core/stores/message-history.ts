import type { PageQuery } from '@gatehouse/protocol/lists'
import type { Message } from '@gatehouse/protocol/messages'
import { type Api, isTransient } from '../api/client.ts'
import type { ConnectionTimers } from '../gateway/connection.ts'
import {
  addNewerPage,
  addNewestPage,
  addOlderPage,
  includesNext,
  rangeEnds,
  refreshNewestPage,
  refreshRange,
  replaceRange,
} from './message-range.ts'
import { compareIds, emptyTimeline, type Timeline } from './timeline.ts'
import type { TimelineStore } from './timeline-store.ts'

const unchanged: Change = timeline => timeline
const pageSize = 50
/** Pages that scrolling loads are larger, because each of them renders the list again. */
const scrollPageSize = 100
/** The mean time until a failed refetch is repeated. It varies by half, so that not all clients send it at once. */
const refetchDelayMs = 5000

/** The timeline of a closed channel, with only what loading it again cannot restore. */
export function unloadTimeline({ pending, messages, detached, deletedIds }: Timeline): Timeline {
  return {
    ...emptyTimeline,
    deletedIds,
    pending,
    messages: [...detached, ...messages.filter(({ ephemeral }) => ephemeral)],
  }
}

type Change = (timeline: Timeline) => Timeline

interface Request {
  channelId: string
  key: string
  /** The changes of events that arrived since the request was sent. */
  changes: Change[]
  /** The service may have read the messages before a gap in the events. */
  isOutdated: boolean
}

/** Loads the messages of channels, in pages. */
export function createMessageHistory({
  api,
  timelines,
  timers,
  random,
  isOpen,
}: {
  api: Api
  timelines: Pick<TimelineStore, 'get' | 'update'>
  timers: ConnectionTimers
  /** Returns a number from 0 up to 1. */
  random(): number
  isOpen(channelId: string): boolean
}) {
  const requests = new Map<string, Promise<void>>()
  const loading = new Set<Request>()
  /** Cancels the next refetch of a channel whose last one failed. */
  const cancelRefetch = new Map<string, () => void>()

  /**
   * Applies the change to which `work` resolves. Shares the promise of a request with the same position that is already
   * running.
   */
  function once(channelId: string, position: string, work: () => Promise<Change>): Promise<void> {
    const key = `${channelId}${position}`
    const running = requests.get(key)
    if (running !== undefined) return running
    const request: Request = { channelId, key, changes: [], isOutdated: false }
    loading.add(request)
    const started = work()
      .then(async change => {
        if (request.isOutdated && !(await isStillWanted(request))) return
        timelines.update(channelId, change)
        for (const eventChange of request.changes) timelines.update(channelId, eventChange)
        if (request.isOutdated) void refetch(channelId)
      })
      .finally(() => {
        loading.delete(request)
        if (requests.get(key) === started) requests.delete(key)
      })
    requests.set(key, started)
    return started
  }

  /**
   * Waits for the reload of the channel after the gap. If the user requested another page (older, newer, or a jump), it
   * is loaded again. A newest page is not needed any more.
   */
  async function isStillWanted({ channelId, key }: Request): Promise<boolean> {
    await requests.get(channelId)?.catch(() => undefined)
    return isOpen(channelId) && !(key === channelId && timelines.get(channelId).loaded)
  }

  const getNewest = (channelId: string) =>
    api.call('listMessages', { id: channelId, query: { limit: pageSize } })
  const getPage = (channelId: string, position: Pick<PageQuery, 'before' | 'after'>) =>
    api.call('listMessages', { id: channelId, query: { limit: scrollPageSize, ...position } })

  async function getNewestRange(channelId: string): Promise<Change> {
    const page = await getNewest(channelId)
    const ends = { reachesStart: page.length < pageSize, reachesEnd: true }
    return current =>
      current.reachesEnd && rangeEnds(current).newest ? current : replaceRange(current, page, ends)
  }

  async function getRange(channelId: string, stale: Timeline): Promise<Change> {
    const { oldest, newest } = rangeEnds(stale)
    if (oldest === undefined || newest === undefined) return getNewestRange(channelId)
    const messages: Message[] = []
    let after = String(BigInt(oldest) - 1n)
    for (;;) {
      const page = await getPage(channelId, { after })
      messages.push(...page)
      const [last] = page
      const reachesEnd = page.length < scrollPageSize
      if (reachesEnd || !last || compareIds(last.id, newest) >= 0) {
        return current => refreshRange(current, messages, reachesEnd, stale)
      }
      after = last.id
    }
  }

  function refetch(channelId: string): Promise<void> {
    const stale = timelines.get(channelId)
    cancelRefetch.get(channelId)?.()
    cancelRefetch.delete(channelId)
    requests.delete(channelId)
    return once(channelId, '', async () => {
      if (!stale.reachesEnd) return getRange(channelId, stale)
      const page = await getNewest(channelId)
      const full = page.length === pageSize
      // Otherwise the user has moved to another range, which was read after the gap.
      return current => (current.reachesEnd ? refreshNewestPage(current, page, full, stale) : current)
    }).catch(error => {
      // The service may be unreachable again: the user keeps the messages, and what they write then.
      if (isTransient(error) && timelines.get(channelId).loaded) refetchLater(channelId)
      else timelines.update(channelId, unloadTimeline)
    })
  }

  function refetchLater(channelId: string): void {
    cancelRefetch.get(channelId)?.()
    const cancel = timers.after(refetchDelayMs * (0.5 + random()), () => {
      if (timelines.get(channelId).loaded) void refetch(channelId)
      else cancelRefetch.delete(channelId)
    })
    cancelRefetch.set(channelId, cancel)
  }

  return {
    /** Loads the newest page unless it is loaded. Repeats a refetch that failed. */
    load(channelId: string): Promise<void> {
      if (timelines.get(channelId).loaded) {
        return cancelRefetch.has(channelId) ? refetch(channelId) : Promise.resolve()
      }
      return once(channelId, '', async () => {
        const page = await getNewest(channelId)
        return current => addNewestPage(current, page, page.length === pageSize)
      })
    },

    loadOlder: (channelId: string) =>
      once(channelId, '/older', async () => {
        const timeline = timelines.get(channelId)
        const { oldest } = rangeEnds(timeline)
        if (timeline.reachesStart) return unchanged
        // Every loaded message was deleted, so there is no id to continue from.
        if (!oldest) return getNewestRange(channelId)
        const page = await getPage(channelId, { before: oldest })
        const full = page.length === scrollPageSize
        return current => addOlderPage(current, page, full, oldest)
      }),

    /** Does nothing if the range includes the end. */
    loadNewer: (channelId: string) =>
      requests.get(`${channelId}/newest`) ??
      once(channelId, '/newer', async () => {
        const timeline = timelines.get(channelId)
        const { newest } = rangeEnds(timeline)
        if (timeline.reachesEnd) return unchanged
        if (!newest) return getNewestRange(channelId)
        const page = await getPage(channelId, { after: newest })
        const full = page.length === scrollPageSize
        return current => addNewerPage(current, page, full, newest)
      }),

    /** Replaces a range that does not reach the end with the newest page. */
    loadNewest: (channelId: string) =>
      timelines.get(channelId).reachesEnd
        ? Promise.resolve()
        : once(channelId, '/newest', () => getNewestRange(channelId)),

    /** Loads a page before and a page after the message, unless the message after it is loaded. */
    loadAround: (channelId: string, messageId: string) =>
      once(channelId, `/around/${messageId}`, async () => {
        if (includesNext(timelines.get(channelId), messageId)) return unchanged
        const justAfter = String(BigInt(messageId) + 1n)
        const [older, newer] = await Promise.all([
          getPage(channelId, { before: justAfter }),
          getPage(channelId, { after: messageId }),
        ])
        const ends = {
          reachesStart: older.length < scrollPageSize,
          reachesEnd: newer.length < scrollPageSize,
        }
        return current => replaceRange(current, [...older, ...newer], ends)
      }),

    /**
     * Call it after a gap in the events, for all channels, or when the channel was removed: what is loading may be
     * outdated.
     */
    outdate(channelId?: string) {
      for (const request of loading) {
        if (channelId !== undefined && request.channelId !== channelId) continue
        request.isOutdated = true
        requests.delete(request.key)
      }
    },

    /**
     * Makes the change of an event or an own edit, and makes it again in pages of the channel that are loading: the
     * service may have read them before.
     */
    applyChange(channelId: string, change: Change) {
      timelines.update(channelId, change)
      for (const request of loading) if (request.channelId === channelId) request.changes.push(change)
    },

    /** Whether the newest page is loading. */
    isLoading: (channelId: string) => requests.has(channelId),

    /** The channels of which a page is loading. */
    loadingChannelIds: () => [...loading].map(({ channelId }) => channelId),

    /** Loads the range again after a gap in the events. Does not reject. */
    refetch,
  }
}
