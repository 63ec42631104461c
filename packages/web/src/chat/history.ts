import type { Message } from '@gatehouse/protocol/messages'
import type { Api } from '../api/client.ts'
import { addNewer, addOlder, addPage, edges, reaches, refresh, refreshRun, replaceRun } from './run.ts'
import { compareIds, emptyTimeline, type Timeline } from './timeline.ts'
import { messagesPath as path, type TimelineStore } from './timeline-store.ts'

/** Reads the messages of channels from the service, in pages. */
export interface MessageHistory {
  /** Loads the newest page where that has not been done. */
  load(channelId: string): Promise<void>
  loadOlder(channelId: string): Promise<void>
  /** The page after what is loaded, where that does not reach the newest message. */
  loadNewer(channelId: string): Promise<void>
  /** Back to the newest messages, wherever one was reading. */
  loadPresent(channelId: string): Promise<void>
  /** What follows this message, and some of what is before it, where that is not loaded. */
  loadFrom(channelId: string, messageId: string): Promise<void>
  /** Whether the newest page is under way. */
  isLoading(channelId: string): boolean
  /** Events were missed: what is loaded is read anew. */
  readAgain(channelId: string): void
}

const pageSize = 50
/** Of what is scrolled to: who scrolls goes on doing so, and each page makes the list anew. */
const furtherSize = 100

/** A closed channel keeps what no history gives, and nothing that begins or ends in its midst. */
export function unloaded({ pending, messages, aside, deleted }: Timeline): Timeline {
  return {
    ...emptyTimeline,
    deleted,
    pending,
    messages: [...aside, ...messages.filter(({ ephemeral }) => ephemeral)],
  }
}

export function createHistory(
  api: Pick<Api, 'get'>,
  { of, change }: Pick<TimelineStore, 'of' | 'change'>,
): MessageHistory {
  const loading = new Map<string, Promise<void>>()

  /** One request at a time for a thing: whoever asks meanwhile waits for the same. */
  function once(key: string, work: () => Promise<void>): Promise<void> {
    const running = loading.get(key)
    if (running !== undefined) return running
    const started = work().finally(() => {
      if (loading.get(key) === started) loading.delete(key)
    })
    loading.set(key, started)
    return started
  }

  const further = (channelId: string, where: string) =>
    api.get<Message[]>(path(channelId, `?limit=${furtherSize}&${where}`))

  /** In the place of what is loaded: also where all of that was deleted, and there is nothing to go on from. */
  async function readNewest(channelId: string) {
    const page = await api.get<Message[]>(path(channelId, `?limit=${pageSize}`))
    const ends = { complete: page.length < pageSize, present: true }
    change(channelId, now => (now.present && edges(now).newest ? now : replaceRun(now, page, ends)))
  }

  /** Reads what is loaded again, where that is not the newest. */
  async function readRunAgain(channelId: string, stale: Timeline) {
    const { oldest, newest } = edges(stale)
    if (oldest === undefined || newest === undefined) return readNewest(channelId)
    const all: Message[] = []
    let from = String(BigInt(oldest) - 1n)
    for (;;) {
      const page = await further(channelId, `after=${from}`)
      all.push(...page)
      const [last] = page
      const reached = page.length < furtherSize
      if (reached || !last || compareIds(last.id, newest) >= 0) {
        return change(channelId, now => refreshRun(now, all, reached, stale))
      }
      from = last.id
    }
  }

  return {
    load: channelId =>
      of(channelId).loaded
        ? Promise.resolve()
        : once(channelId, async () => {
            const page = await api.get<Message[]>(path(channelId, `?limit=${pageSize}`))
            change(channelId, timeline => addPage(timeline, page, page.length === pageSize))
          }),
    loadOlder: channelId =>
      once(`${channelId}/older`, async () => {
        const timeline = of(channelId)
        const { oldest } = edges(timeline)
        if (timeline.complete) return
        if (!oldest) return readNewest(channelId)
        const page = await further(channelId, `before=${oldest}`)
        change(channelId, now => addOlder(now, page, page.length === furtherSize, oldest))
      }),
    loadNewer: channelId =>
      loading.get(`${channelId}/present`) ??
      once(`${channelId}/newer`, async () => {
        const timeline = of(channelId)
        const { newest } = edges(timeline)
        if (timeline.present) return
        if (!newest) return readNewest(channelId)
        const page = await further(channelId, `after=${newest}`)
        change(channelId, now => addNewer(now, page, page.length === furtherSize, newest))
      }),
    loadPresent: channelId =>
      of(channelId).present ? Promise.resolve() : once(`${channelId}/present`, () => readNewest(channelId)),
    loadFrom: (channelId, messageId) =>
      once(`${channelId}/from/${messageId}`, async () => {
        if (reaches(of(channelId), messageId)) return
        const justAfter = String(BigInt(messageId) + 1n)
        const [older, newer] = await Promise.all([
          further(channelId, `before=${justAfter}`),
          further(channelId, `after=${messageId}`),
        ])
        const ends = { complete: older.length < furtherSize, present: newer.length < furtherSize }
        change(channelId, now => replaceRun(now, [...older, ...newer], ends))
      }),
    isLoading: channelId => loading.has(channelId),
    readAgain(channelId) {
      const stale = of(channelId)
      loading.delete(channelId)
      void once(channelId, async () => {
        if (!stale.present) return readRunAgain(channelId, stale)
        const page = await api.get<Message[]>(path(channelId, `?limit=${pageSize}`))
        change(channelId, timeline => refresh(timeline, page, page.length === pageSize, stale))
      }).catch(() => change(channelId, unloaded))
    },
  }
}
