import type { Message } from '@gatehouse/protocol/messages'
import { type Api, isPassing, makeNonce } from '../api/client.ts'
import { createStore, type Store } from '../app/store.ts'
import {
  addPage,
  addPending,
  arrived,
  dropPending,
  emptyTimeline,
  failed,
  refresh,
  remove,
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
  /** `describe` puts a failure into words. */
  send(channelId: string, content: string, describe: (error: unknown) => string): Promise<void>
  retry(channelId: string, nonce: string, describe: (error: unknown) => string): Promise<void>
  discard(channelId: string, nonce: string): void
  edit(message: Message, content: string): Promise<void>
  delete(message: Message): Promise<void>
  /** An ephemeral message is put away by its reader: nobody else knows of it. */
  dismiss(message: Message): void
  arrived(message: Message): void
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
  selfId(): string
  now(): number
}

const pageSize = 50

export function createTimelines({ api, selfId, now }: Options): Timelines {
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
        return change(channelId, timeline => sent(timeline, nonce, message))
      } catch (error) {
        // The nonce makes a repeat harmless, so one that may have got through is repeated once.
        if (attempt === 1 && isPassing(error)) continue
        return change(channelId, timeline => failed(timeline, nonce, describe(error)))
      }
    }
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
        const { complete, messages } = of(channelId)
        const oldest = messages.find(message => !message.ephemeral)
        if (complete || !oldest) return
        const page = await api.get<Message[]>(path(channelId, `?limit=${pageSize}&before=${oldest.id}`))
        change(channelId, timeline => addPage(timeline, page, page.length === pageSize))
      }),
    async send(channelId, content, describe) {
      const nonce = makeNonce()
      const createdAt = new Date(now()).toISOString()
      change(channelId, timeline => addPending(timeline, { nonce, content, createdAt, state: 'sending' }))
      await post(channelId, nonce, content, describe)
    },
    async retry(channelId, nonce, describe) {
      const pending = of(channelId).pending.find(other => other.nonce === nonce)
      if (!pending) return
      const { content } = pending
      const createdAt = new Date(now()).toISOString()
      change(channelId, timeline => addPending(timeline, { nonce, content, createdAt, state: 'sending' }))
      await post(channelId, nonce, content, describe)
    },
    discard: (channelId, nonce) => change(channelId, timeline => dropPending(timeline, nonce)),
    async edit(message, content) {
      const edited = await api.send<Message>('PATCH', path(message.channelId, `/${message.id}`), { content })
      change(message.channelId, timeline => update(timeline, edited))
    },
    async delete(message) {
      await api.send('DELETE', path(message.channelId, `/${message.id}`))
      change(message.channelId, timeline => remove(timeline, message.id))
    },
    dismiss: message => change(message.channelId, timeline => remove(timeline, message.id)),
    arrived: message => {
      // A channel that was not opened yet reads its messages when it is; what only comes by events is kept for it.
      if (!of(message.channelId).loaded && !message.ephemeral && !loading.has(message.channelId)) return
      change(message.channelId, timeline => arrived(timeline, message, selfId()))
    },
    updated: message => change(message.channelId, timeline => update(timeline, message)),
    removed: (channelId, messageId) => change(channelId, timeline => remove(timeline, messageId)),
    forget: channelId => store.set(map => new Map([...map].filter(([id]) => id !== channelId))),
    catchUp() {
      const channelId = shown
      store.set(map => {
        // What no history gives must not be lost with what is read again.
        const kept = [...map].map(([id, timeline]): [string, Timeline] => {
          if (id === channelId) return [id, timeline]
          const messages = timeline.messages.filter(message => message.ephemeral)
          return [id, { ...emptyTimeline, pending: timeline.pending, messages }]
        })
        return new Map(kept)
      })
      if (!channelId) return
      const stale = of(channelId)
      loading.delete(channelId)
      void once(channelId, async () => {
        const page = await api.get<Message[]>(path(channelId, `?limit=${pageSize}`))
        change(channelId, timeline => refresh(timeline, page, page.length === pageSize, stale))
      }).catch(() => change(channelId, timeline => ({ ...timeline, loaded: false })))
    },
    show(channelId) {
      shown = channelId
    },
  }
}
