import type { GatewayAnswer } from '@gatehouse/protocol/gateway'
import { QueryClient } from '@tanstack/react-query'
import { type Api, ApiError, createApi, isPassing } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { selfQuery, serversQuery } from '../api/query-options.ts'
import { createServiceClock } from '../api/service-clock.ts'
import { createMarkdownPart, type MarkdownComponent, type MarkdownPart } from '../chat/markdown-part.ts'
import { createTimelines, type Timelines } from '../chat/timelines.ts'
import { createUnread, type Unread } from '../chat/unread.ts'
import { createInvocations, type Invocations } from '../commands/invocations.ts'
import { openBrowserSocket } from '../gateway/browser-socket.ts'
import { type Connection, type ConnectionState, createConnection } from '../gateway/connection.ts'
import { applyEvent, forgetWhatMayHaveChanged } from '../gateway/events.ts'
import { createDrafts, type Drafts } from './drafts.ts'
import { createStore, type Store } from './store.ts'

/** Everything of the client that is not React: put together here, once. */
export interface Client {
  api: Api
  queries: QueryClient
  timelines: Timelines
  invocations: Invocations
  unread: Unread
  connection: Store<ConnectionState>
  /** The service's time, in milliseconds since 1970. */
  now(): number
  /** What is to be read out to those who do not see the screen. */
  announcement: Store<string>
  drafts: Drafts
  markdown: MarkdownPart
  /** Asks for what every page needs, and connects to the gateway. False where the browser is sent to sign in. */
  start(): Promise<boolean>
  signOut(): Promise<void>
}

interface Options {
  loadMarkdown(): Promise<MarkdownComponent>
}

export function createClient({ loadMarkdown }: Options): Client {
  const toSignIn = () => {
    const here = `${location.pathname}${location.search}`
    location.replace(`/login?return_to=${encodeURIComponent(here)}`)
  }
  const clock = createServiceClock(Date.now)
  const api = createApi({
    fetch: (...request) => fetch(...request),
    onSignedOut: toSignIn,
    onAnswer: ({ headers }) => clock.learn(headers.get('date')),
  })
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        retry: (count, error) => count < 3 && isPassing(error),
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  })
  const timers = {
    after(ms: number, work: () => void) {
      const timer = setTimeout(work, ms)
      return () => clearTimeout(timer)
    },
  }
  const selfId = () => queries.getQueryData(selfQuery(api).queryKey)?.id ?? ''
  const timelines = createTimelines({ api, now: clock.now })
  const invocations = createInvocations({ api, timers, now: Date.now })
  const unread = createUnread({
    save: (channelId, messageId) =>
      api.send('PUT', `/api/channels/${channelId}/read`, { messageId }, { keepalive: true }),
    after: timers.after,
  })
  const connection = createStore<ConnectionState>('connecting')
  const announcement = createStore('')
  const drafts = createDrafts(() => sessionStorage)
  const markdown = createMarkdownPart(loadMarkdown)

  let link: Connection | undefined
  async function connect() {
    const { url } = await queries.fetchQuery({
      queryKey: ['gateway'],
      queryFn: () => api.get<GatewayAnswer>('/api/gateway'),
      // Without the gateway nothing is live: it is asked for until it is there.
      retry: (_, error) => !(error instanceof ApiError && error.status === 401),
      retryDelay: attempt => Math.min(30_000, 1000 * 2 ** attempt),
    })
    link = createConnection({
      url,
      openSocket: openBrowserSocket,
      timers,
      random: Math.random,
      onState: state => {
        connection.set(() => state)
        if (state === 'ready') void timelines.sendWhatWaits()
      },
      onEvent: event =>
        applyEvent(event, { api, queries, timelines, invocations, unread, announcement, selfId: selfId() }),
      onGap: () => {
        forgetWhatMayHaveChanged(queries)
        timelines.catchUp()
      },
      onSignedOut: toSignIn,
    })
    link.start()
    window.addEventListener('online', () => link?.nudge())
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') link?.nudge()
      else unread.flush()
    })
    window.addEventListener('pagehide', () => unread.flush())
  }

  return {
    api,
    queries,
    timelines,
    invocations,
    unread,
    connection,
    now: clock.now,
    announcement,
    drafts,
    markdown,
    async start() {
      // On its way while the service is asked, so that no message waits for it.
      void markdown.load()
      void queries.prefetchQuery(serversQuery(api))
      await queries.prefetchQuery(selfQuery(api))
      const problem = queries.getQueryState(keys.self)?.error
      if (problem instanceof ApiError && problem.status === 401) return false
      drafts.belongTo(selfId())
      connect().catch(() => undefined)
      return true
    },
    async signOut() {
      await api.send('POST', '/api/auth/logout')
      drafts.clear()
      link?.stop()
      location.assign('/login')
    },
  }
}
