import type { Message } from '@gatehouse/protocol/messages'
import type { User } from '@gatehouse/protocol/users'
import { type Api, isPassing, makeNonce } from '../api/client.ts'
import { createStore, type Store } from '../app/store.ts'
import {
  addNewer,
  addOlder,
  addPage,
  edges,
  reaches,
  refresh,
  refreshRun,
  replaceRun,
  runSize,
  trim,
} from './run.ts'
import {
  addPending,
  arrived,
  compareIds,
  dropPending,
  emptyTimeline,
  failed,
  remove,
  renamed,
  sent,
  type Timeline,
  update,
} from './timeline.ts'

/** The messages of the channels that were opened, kept up to date by the gateway. */
export interface Timelines {
  store: Store<ReadonlyMap<string, Timeline>>
  of(channelId: string): Timeline
  /** Loads the newest page where that has not been done. */
  load(channelId: string): Promise<void>
  loadOlder(channelId: string): Promise<void>
  /** The page after what is loaded, where that does not reach the newest message. */
  loadNewer(channelId: string): Promise<void>
  /** Back to the newest messages, wherever one was reading. */
  loadPresent(channelId: string): Promise<void>
  /** What follows this message, and some of what is before it, where that is not loaded. */
  loadFrom(channelId: string, messageId: string): Promise<void>
  /** Lets go of what is far from this message, where too much is loaded. */
  trim(channelId: string, around: string): void
  /** `describe` puts a failure into words. */
  send(channelId: string, content: string, describe: (error: unknown) => string): Promise<void>
  retry(channelId: string, nonce: string, describe: (error: unknown) => string): Promise<void>
  /** The service is reached again: what could not be delivered goes out, in the order in which it was written. */
  sendWhatWaits(): Promise<void>
  discard(channelId: string, nonce: string): void
  edit(message: Message, content: string): Promise<void>
  delete(message: Message): Promise<void>
  /** An ephemeral message is put away by its reader: nobody else knows of it. */
  dismiss(message: Message): void
  /** `nonce`: of one's own, that with which it was sent. */
  arrived(message: Message, nonce?: string): void
  /** Somebody has another name or picture from now on. */
  renamed(user: User): void
  updated(message: Message): void
  removed(channelId: string, messageId: string): void
  forget(channelId: string): void
  /** Events were missed: reads again what is on the screen, forgets the rest. */
  catchUp(): void
  /** The channel that is on the screen. */
  show(channelId: string | undefined): void
}

interface Options {
  api: Api
  now(): number
}

const pageSize = 50
/** Of what is scrolled to: who scrolls goes on doing so, and each page makes the list anew. */
const furtherSize = 100

export function createTimelines({ api, now }: Options): Timelines {
  const store = createStore<ReadonlyMap<string, Timeline>>(new Map())
  const loading = new Map<string, Promise<void>>()
  let shown: string | undefined

  const of = (channelId: string) => store.get().get(channelId) ?? emptyTimeline
  function change(channelId: string, how: (timeline: Timeline) => Timeline) {
    store.set(map => {
      const before = map.get(channelId) ?? emptyTimeline
      const after = how(before)
      return after === before ? map : new Map(map).set(channelId, after)
    })
  }
  const path = (channelId: string, rest = '') => `/api/channels/${channelId}/messages${rest}`

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

  async function post(
    channelId: string,
    nonce: string,
    content: string,
    describe: (error: unknown) => string,
  ) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const message = await api.send<Message>('POST', path(channelId), { content, nonce })
        words.delete(nonce)
        return change(channelId, timeline => sent(timeline, nonce, message))
      } catch (error) {
        // The nonce makes a repeat harmless, so one that may have got through is repeated once.
        if (attempt === 1 && isPassing(error)) continue
        const why = { problem: describe(error), ...(isPassing(error) ? { passing: true as const } : {}) }
        return change(channelId, timeline => failed(timeline, nonce, why))
      }
    }
  }

  const further = (channelId: string, where: string) =>
    api.get<Message[]>(path(channelId, `?limit=${furtherSize}&${where}`))

  /** In the place of what is loaded: also where all of that was deleted, and there is nothing to go on from. */
  async function readNewest(channelId: string) {
    const page = await api.get<Message[]>(path(channelId, `?limit=${pageSize}`))
    const ends = { complete: page.length < pageSize, present: true }
    change(channelId, now => (now.present && edges(now).newest ? now : replaceRun(now, page, ends)))
  }
  const loadPresent = (channelId: string): Promise<void> =>
    of(channelId).present ? Promise.resolve() : once(`${channelId}/present`, () => readNewest(channelId))

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

  /** A closed channel keeps what no history gives, and nothing that begins or ends in its midst. */
  const unloaded = ({ pending, messages, aside, deleted }: Timeline): Timeline => ({
    ...emptyTimeline,
    deleted,
    pending,
    messages: [...aside, ...messages.filter(({ ephemeral }) => ephemeral)],
  })

  /** How each failure is put into words, for those that go out again. */
  const words = new Map<string, (error: unknown) => string>()

  async function again(channelId: string, nonce: string, describe: (error: unknown) => string) {
    const pending = of(channelId).pending.find(other => other.nonce === nonce)
    if (pending?.state !== 'failed') return
    const { content } = pending
    const createdAt = new Date(now()).toISOString()
    change(channelId, timeline => addPending(timeline, { nonce, content, createdAt, state: 'sending' }))
    await post(channelId, nonce, content, describe)
  }

  return {
    store,
    of,
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
    loadPresent,
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
    trim(channelId, around) {
      if (of(channelId).messages.length > runSize.most) change(channelId, now => trim(now, around))
    },
    async send(channelId, content, describe) {
      const nonce = makeNonce()
      const createdAt = new Date(now()).toISOString()
      change(channelId, timeline => addPending(timeline, { nonce, content, createdAt, state: 'sending' }))
      words.set(nonce, describe)
      // What one says is at the end of the channel: it is seen there, or by a failure that stays.
      loadPresent(channelId).catch(() => undefined)
      await post(channelId, nonce, content, describe)
    },
    retry: again,
    async sendWhatWaits() {
      for (const [channelId, { pending }] of store.get()) {
        for (const { nonce, passing } of pending) {
          const describe = passing && words.get(nonce)
          if (describe) await again(channelId, nonce, describe)
        }
      }
    },
    discard(channelId, nonce) {
      words.delete(nonce)
      change(channelId, timeline => dropPending(timeline, nonce))
    },
    async edit(message, content) {
      const edited = await api.send<Message>('PATCH', path(message.channelId, `/${message.id}`), { content })
      change(message.channelId, timeline => update(timeline, edited))
    },
    async delete(message) {
      await api.send('DELETE', path(message.channelId, `/${message.id}`))
      change(message.channelId, timeline => remove(timeline, message.id))
    },
    dismiss: message => change(message.channelId, timeline => remove(timeline, message.id)),
    arrived: (message, nonce) => {
      // A channel that was not opened yet reads its messages when it is; what only comes by events is kept for it.
      if (!of(message.channelId).loaded && !message.ephemeral && !loading.has(message.channelId)) return
      change(message.channelId, timeline => {
        const after = arrived(timeline, message, nonce)
        const tooMany = after.messages.length > runSize.most && message.channelId !== shown
        return tooMany ? trim(after, message.id) : after
      })
    },
    renamed: user =>
      store.set(map => {
        const changed = [...map].map(([id, timeline]): [string, Timeline] => [id, renamed(timeline, user)])
        return changed.some(([id, timeline]) => map.get(id) !== timeline) ? new Map(changed) : map
      }),
    updated: message => change(message.channelId, timeline => update(timeline, message)),
    removed: (channelId, messageId) => change(channelId, timeline => remove(timeline, messageId)),
    forget: channelId => store.set(map => new Map([...map].filter(([id]) => id !== channelId))),
    catchUp() {
      const channelId = shown
      store.set(map => {
        // What no history gives must not be lost with what is read again.
        const kept = [...map].map(([id, timeline]): [string, Timeline] => {
          if (id === channelId) return [id, timeline]
          return [id, unloaded(timeline)]
        })
        return new Map(kept)
      })
      if (!channelId) return
      // It may have been deleted meanwhile, and is read when one comes there.
      change(channelId, now => ({ ...now, ahead: [] }))
      const stale = of(channelId)
      loading.delete(channelId)
      void once(channelId, async () => {
        if (!stale.present) return readRunAgain(channelId, stale)
        const page = await api.get<Message[]>(path(channelId, `?limit=${pageSize}`))
        change(channelId, timeline => refresh(timeline, page, page.length === pageSize, stale))
      }).catch(() => change(channelId, unloaded))
    },
    show(channelId) {
      const left = shown
      shown = channelId
      // Opened again it shows its newest messages.
      if (left && left !== channelId) change(left, now => (now.present ? now : unloaded(now)))
    },
  }
}
