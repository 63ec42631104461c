import { adaptWebSocket } from '@gatehouse/gateway-client'
import type { Channel } from '@gatehouse/protocol/channels'
import type { Message } from '@gatehouse/protocol/messages'
import { QueryClient } from '@tanstack/react-query'
import { ApiError, createApi, isTransient } from './api/client.ts'
import { keys } from './api/keys.ts'
import { blocksQuery, selfQuery, serversQuery, untilResponse } from './api/query-options.ts'
import { createServiceClock } from './api/service-clock.ts'
import { type Connection, type ConnectionState, createConnection } from './gateway/connection.ts'
import { applyEvent, invalidateAfterGap } from './gateway/events.ts'
import { isInvitePath } from './servers/invite-code.ts'
import { createDrafts } from './stores/drafts.ts'
import { createFailedEdits } from './stores/failed-edits.ts'
import { createInvocations } from './stores/invocations.ts'
import { createMarkdownLoader, type MarkdownRenderer } from './stores/markdown-loader.ts'
import { createStore } from './stores/store.ts'
import { createTimelines } from './stores/timelines.ts'
import { createUnread } from './stores/unread.ts'
import { createUnsentStore } from './stores/unsent-store.ts'

export type Client = ReturnType<typeof createClient>

/** Creates everything that does not depend on React. */
export function createClient({ loadMarkdown }: { loadMarkdown(): Promise<MarkdownRenderer> }) {
  let isSignedIn = false
  let isSigningOut = false
  const openSignInPage = () => {
    // `signOut` navigates itself. A second navigation would abort the first one.
    if (isSigningOut || (!isSignedIn && isInvitePath(location.pathname))) return
    const returnTo = `${location.pathname}${location.search}`
    location.replace(`/login?return_to=${encodeURIComponent(returnTo)}`)
  }
  const clock = createServiceClock(Date.now)
  const api = createApi({
    fetch: (...request) => fetch(...request),
    onSignedOut: openSignInPage,
    onResponse: ({ headers }) => clock.update(headers.get('date')),
  })
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        retry: (count, error) => count < 3 && isTransient(error),
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
  const timelines = createTimelines({
    api,
    timers,
    now: clock.now,
    random: Math.random,
    unsent: createUnsentStore(() => localStorage),
    exclusive: navigator.locks && ((name, work) => navigator.locks.request(name, work)),
  })
  const invocations = createInvocations({ api, timers, now: Date.now })
  const unread = createUnread({
    save: (channelId, messageId) =>
      api.call('markChannelRead', { id: channelId, body: { messageId }, keepalive: true }),
    after: timers.after,
  })
  const connectionState = createStore<ConnectionState>('connecting')
  const announcement = createStore<Message | undefined>(undefined)
  const drafts = createDrafts(() => localStorage, Date.now)
  const failedEdits = createFailedEdits()
  const markdown = createMarkdownLoader(loadMarkdown)

  /**
   * Loads what is shown as failed. The gateway's socket may survive a failure that requests do not, and then there is
   * no gap.
   */
  const refetchFailed = () =>
    void queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })

  let connection: Connection | undefined
  async function connect() {
    const { url } = await queries.fetchQuery({
      queryKey: keys.gateway,
      queryFn: () => api.call('getGateway'),
      ...untilResponse,
    })
    connection = createConnection({
      url,
      openSocket: (socketUrl, handlers) => adaptWebSocket(new WebSocket(socketUrl), handlers),
      timers,
      random: Math.random,
      onState: state => {
        connectionState.set(() => state)
        if (state !== 'ready') return
        void timelines.retryAll()
        refetchFailed()
      },
      onEvent: event =>
        applyEvent(event, { queries, timelines, invocations, unread, announcement, selfId: selfId() }),
      onGap: () => {
        invalidateAfterGap(queries)
        timelines.refetchAfterGap()
      },
      onSignedOut: openSignInPage,
    })
    connection.start()
    window.addEventListener('online', () => {
      connection?.retryNow()
      refetchFailed()
    })
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') connection?.retryNow()
      else unread.flush()
    })
    window.addEventListener('pagehide', () => unread.flush())
  }

  /** The gateway's socket may survive a failure that requests do not, so its state does not trigger every retry. */
  function startOutbox() {
    window.addEventListener('online', () => void timelines.retryAll())
    window.addEventListener('storage', ({ key }) => timelines.handleStorageEvent(key))
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') void timelines.retryAll()
    })
  }

  return {
    api,
    timers,
    queries,
    timelines,
    invocations,
    unread,
    connectionState,
    /** The time of the service, in milliseconds since the Unix epoch. */
    now: clock.now,
    announcement,
    drafts,
    failedEdits,
    /** Ids of the servers that the user is leaving or deleting in this tab, which need no notice of the removal. */
    leavingServers: new Set<string>(),
    removeServerData(serverId: string) {
      for (const { id } of queries.getQueryData<Channel[]>(keys.channels(serverId)) ?? []) {
        timelines.removeChannel(id)
      }
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[1] === serverId })
    },
    /** False only on the page of an invite, which does not require a session. */
    isSignedIn: () => isSignedIn,
    markdown,

    /**
     * Loads the data that every page needs and connects to the gateway. Waits until the service can be reached. Returns
     * false if the browser navigates to the sign-in page.
     */
    async start(): Promise<boolean> {
      // Loads in parallel with the first requests, so that no message waits for it.
      void markdown.load()
      void queries.prefetchQuery(serversQuery(api))
      await queries.prefetchQuery(selfQuery(api))
      const userId = selfId()
      if (!userId) return isInvitePath(location.pathname)
      isSignedIn = true
      // Messages of blocked users must not be shown first and collapsed later.
      void queries.prefetchQuery(blocksQuery(api))
      drafts.setOwner(userId)
      void timelines.restore(userId)
      startOutbox()
      connect().catch(() => undefined)
      return true
    },

    async signOut() {
      // The gateway closes the connection with 4004 before the response to this request arrives.
      isSigningOut = true
      try {
        await api.call('logOut')
      } catch (error) {
        isSigningOut = false
        if (!(error instanceof ApiError && error.status === 401)) throw error
      }
      drafts.clear()
      timelines.clearUnsent()
      connection?.stop()
      location.assign('/login')
    },
  }
}
