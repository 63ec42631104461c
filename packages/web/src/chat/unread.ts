import type { Message } from '@gatehouse/protocol/messages'
import type { ReadState } from '@gatehouse/protocol/read-state'
import { createStore, type Store } from '../app/store.ts'
import { compareIds } from './timeline.ts'

/** What waits in a channel. */
export interface UnreadChannel {
  serverId: string | null
  /** Unread messages that mention one; in a direct message all of the other's. */
  mentions: number
}

/** What was read and what came since: as the service says it at the start, then by events. */
export interface Unread {
  /** The channels in which something is unread. */
  store: Store<ReadonlyMap<string, UnreadChannel>>
  /** By channel, the id after which the messages were new when one came; until one leaves, or says something. */
  lines: Store<ReadonlyMap<string, string>>
  /** Whether the service has said what was read. */
  known: Store<boolean>
  /** The channel that is on the screen, in a tab that is seen. */
  viewing(): string | undefined
  view(channelId: string | undefined): void
  /** The end of the channel is on the screen: all of it is read, `newestId` is the last message that the service keeps. */
  follow(channelId: string, newestId: string | undefined): void
  unfollow(channelId: string): void
  /** The channel is on the screen no longer. */
  leave(channelId: string): void
  /** The line has been seen. */
  dropLine(channelId: string): void
  /** What READY says; puts all else in its place. */
  begin(states: readonly ReadState[], servers: readonly { id: string; roles?: readonly string[] }[]): void
  /** The roles that one has on a server: mentions of them are one's own. */
  setRoles(serverId: string, roles: readonly string[]): void
  arrived(message: Message, selfId: string): void
  /** It may mention one now: a placeholder was filled. */
  updated(message: Message, selfId: string): void
  removed(channelId: string, messageId: string): void
  /** Read up to here, in another window. */
  read(channelId: string, messageId: string): void
  clear(channelId: string): void
  clearServer(serverId: string): void
  /** Tells the service at once what it was to be told: the page may be closed. */
  flush(): void
}

interface State {
  serverId: string | null
  lastReadId: string
  newestId: string
  /** What the service counted, up to which message. */
  counted: number
  countedTo: string
  /** Unread ones that came since. */
  news: readonly { id: string; mentioned: boolean }[]
}

interface Options {
  /** Resolves when the service has the mark. */
  save(channelId: string, messageId: string): Promise<void>
  after(ms: number, work: () => void): () => void
}

/** While one follows a conversation, the service is not told of each message. */
const pauseMs = 2000
const nothing = '0'

const later = (a: string, b: string) => (compareIds(a, b) < 0 ? b : a)

export function createUnread({ save, after }: Options): Unread {
  const store = createStore<ReadonlyMap<string, UnreadChannel>>(new Map())
  const lines = createStore<ReadonlyMap<string, string>>(new Map())
  const known = createStore(false)
  const states = new Map<string, State>()
  const rolesOf = new Map<string, readonly string[]>()
  /** What the service has been told, or has told. */
  const saved = new Map<string, string>()
  const waiting = new Map<string, { messageId: string | undefined; cancel: () => void }>()
  let current: string | undefined
  let followed: string | undefined

  function show(channelId: string) {
    const state = states.get(channelId)
    const waits = state !== undefined && compareIds(state.lastReadId, state.newestId) < 0
    const next = waits ? { serverId: state.serverId, mentions: mentionsOf(state) } : undefined
    store.set(map => {
      const before = map.get(channelId)
      if (before?.mentions === next?.mentions && (before === undefined) === (next === undefined)) return map
      const changed = new Map(map)
      if (next) changed.set(channelId, next)
      else changed.delete(channelId)
      return changed
    })
  }

  function setLine(channelId: string, id: string | undefined) {
    lines.set(map => {
      if (map.get(channelId) === id) return map
      const changed = new Map(map)
      if (id === undefined) changed.delete(channelId)
      else changed.set(channelId, id)
      return changed
    })
  }

  function tell(channelId: string, messageId: string) {
    if (compareIds(messageId, saved.get(channelId) ?? nothing) <= 0) return
    const before = saved.get(channelId)
    saved.set(channelId, messageId)
    save(channelId, messageId).catch(() => {
      // The next READY shows that the mark is not there, and it is told again.
      if (saved.get(channelId) === messageId) saved.set(channelId, before ?? nothing)
    })
  }

  /** At once, then no more than one in a while. */
  function mark(channelId: string, messageId: string) {
    const pause = waiting.get(channelId)
    if (pause) {
      pause.messageId = messageId
      return
    }
    tell(channelId, messageId)
    const cancel = after(pauseMs, () => {
      const { messageId: next } = waiting.get(channelId) ?? {}
      waiting.delete(channelId)
      if (next !== undefined) mark(channelId, next)
    })
    waiting.set(channelId, { messageId: undefined, cancel })
  }

  function hurry(channelId: string) {
    const pause = waiting.get(channelId)
    if (!pause) return
    pause.cancel()
    waiting.delete(channelId)
    if (pause.messageId !== undefined) tell(channelId, pause.messageId)
  }

  function readTo(channelId: string, id: string) {
    const state = states.get(channelId)
    if (!state || compareIds(id, state.lastReadId) <= 0) return
    states.set(channelId, {
      ...state,
      lastReadId: id,
      newestId: later(state.newestId, id),
      counted: compareIds(id, state.countedTo) < 0 ? state.counted : 0,
      news: state.news.filter(other => compareIds(other.id, id) > 0),
    })
    show(channelId)
  }

  function mentions({ serverId, mentions: { users, roles, everyone } }: Message, selfId: string): boolean {
    if (serverId === null || everyone || users.includes(selfId)) return true
    const own = rolesOf.get(serverId) ?? []
    return roles.some(role => role === serverId || own.includes(role))
  }

  function forget(matches: (channelId: string, state: State) => boolean) {
    for (const [id, state] of [...states]) {
      if (!matches(id, state)) continue
      states.delete(id)
      setLine(id, undefined)
      show(id)
    }
  }

  return {
    store,
    lines,
    known,
    viewing: () => current,
    view(channelId) {
      current = channelId
    },
    follow(channelId, newestId) {
      followed = channelId
      const state = states.get(channelId)
      if (state) {
        // What is not there any more, and what the service does not keep, is read with the rest.
        const last = newestId ?? state.lastReadId
        states.set(channelId, { ...state, lastReadId: last, newestId: last, counted: 0, news: [] })
        show(channelId)
      }
      if (newestId !== undefined) mark(channelId, newestId)
    },
    unfollow(channelId) {
      if (followed === channelId) followed = undefined
    },
    leave(channelId) {
      hurry(channelId)
      if (!store.get().has(channelId)) setLine(channelId, undefined)
    },
    dropLine: channelId => setLine(channelId, undefined),
    begin(list, servers) {
      rolesOf.clear()
      for (const { id, roles = [] } of servers) rolesOf.set(id, roles)
      const before = new Map(states)
      states.clear()
      saved.clear()
      for (const { channelId, serverId, lastMessageId, lastReadId, mentionCount } of list) {
        const newestId = lastMessageId ?? nothing
        states.set(channelId, {
          serverId,
          lastReadId,
          newestId,
          counted: mentionCount,
          countedTo: newestId,
          news: [],
        })
        saved.set(channelId, lastReadId)
        const here = before.get(channelId)?.lastReadId
        if (here !== undefined && compareIds(here, lastReadId) > 0) {
          readTo(channelId, here)
          mark(channelId, here)
        }
        const state = states.get(channelId)
        const waits = state && compareIds(state.lastReadId, state.newestId) < 0
        if (waits && !lines.get().has(channelId)) setLine(channelId, state.lastReadId)
      }
      for (const id of new Set([...before.keys(), ...states.keys()])) show(id)
      known.set(() => true)
    },
    setRoles(serverId, roles) {
      rolesOf.set(serverId, roles)
    },
    arrived(message, selfId) {
      const { id, channelId, serverId } = message
      const state = states.get(channelId) ?? {
        serverId,
        // Of a channel that has come since there is nothing unread before the first message.
        lastReadId: justBefore(id),
        newestId: nothing,
        counted: 0,
        countedTo: nothing,
        news: [],
      }
      if (compareIds(id, state.countedTo) <= 0) return
      const waits = compareIds(state.lastReadId, state.newestId) < 0
      const own = message.author.id === selfId
      const seen = channelId === followed || (own && !waits)
      if (own) setLine(channelId, undefined)
      if (seen) {
        states.set(channelId, { ...state, lastReadId: later(state.lastReadId, id), newestId: id })
        return
      }
      if (own) return
      if (!waits) setLine(channelId, state.lastReadId)
      const news = [...state.news, { id, mentioned: mentions(message, selfId) }]
      states.set(channelId, { ...state, newestId: later(state.newestId, id), news })
      show(channelId)
    },
    updated(message, selfId) {
      const state = states.get(message.channelId)
      const known = state?.news.find(({ id }) => id === message.id)
      const mentioned = mentions(message, selfId)
      if (!state || !known || known.mentioned === mentioned) return
      const news = state.news.map(other => (other === known ? { ...other, mentioned } : other))
      states.set(message.channelId, { ...state, news })
      show(message.channelId)
    },
    removed(channelId, messageId) {
      const state = states.get(channelId)
      if (!state?.news.some(({ id }) => id === messageId)) return
      const news = state.news.filter(({ id }) => id !== messageId)
      const newestId = later(news.at(-1)?.id ?? nothing, state.countedTo)
      states.set(channelId, { ...state, news, newestId })
      show(channelId)
    },
    read(channelId, messageId) {
      saved.set(channelId, later(saved.get(channelId) ?? nothing, messageId))
      readTo(channelId, messageId)
      if (current !== channelId && !store.get().has(channelId)) setLine(channelId, undefined)
    },
    clear: channelId => forget(id => id === channelId),
    clearServer: serverId => forget((_, state) => state.serverId === serverId),
    flush() {
      for (const channelId of [...waiting.keys()]) hurry(channelId)
    },
  }
}

function mentionsOf({ counted, news }: State): number {
  return counted + news.filter(({ mentioned }) => mentioned).length
}

function justBefore(id: string): string {
  return String(BigInt(id) - 1n)
}
