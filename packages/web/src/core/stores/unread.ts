import type { Message } from '@gatehouse/protocol/messages'
import type { ReadState } from '@gatehouse/protocol/read-state'
import { createStore } from './store.ts'
import { compareIds } from './timeline.ts'

/** A channel with unread messages. */
export interface UnreadChannel {
  serverId: string | null
  /** Unread messages that mention the user; in a direct message channel, all of them. */
  mentions: number
}

/** The sum of the unread mentions. */
export function sumMentions(channels: Iterable<UnreadChannel>): number {
  return [...channels].reduce((sum, { mentions }) => sum + mentions, 0)
}

interface State {
  serverId: string | null
  lastReadId: string
  newestId: string
  /** The mentions that the service counted, up to the message `countedUntil`. */
  counted: number
  countedUntil: string
  /** Unread messages that arrived since. */
  arrived: readonly { id: string; mentioned: boolean }[]
}

interface Options {
  /** Resolves when the service has stored the read state. */
  save(channelId: string, messageId: string): Promise<void>
  after(ms: number, work: () => void): () => void
}

/** The minimum time between two requests for the same channel. */
const saveIntervalMs = 2000
const noMessage = '0'

const newerId = (a: string, b: string) => (compareIds(a, b) < 0 ? b : a)

export type Unread = ReturnType<typeof createUnread>

/** The read state of each channel: that of READY, then updated by events. */
export function createUnread({ save, after }: Options) {
  /** The channels with unread messages. */
  const store = createStore<ReadonlyMap<string, UnreadChannel>>(new Map())
  /**
   * By channel, the id of the message before the "new messages" divider. The divider stays until the user leaves the
   * channel or writes a message.
   */
  const dividers = createStore<ReadonlyMap<string, string>>(new Map())
  /** Whether READY was received. */
  const isLoaded = createStore(false)
  /** The direct messages that the user has muted. They are never in `store`. */
  const muted = createStore<ReadonlySet<string>>(new Set())
  const states = new Map<string, State>()
  const rolesByServer = new Map<string, readonly string[]>()
  /** The read state that the service has, or that a request is about to store. */
  const saved = new Map<string, string>()
  const scheduled = new Map<string, { messageId: string | undefined; cancel: () => void }>()
  let visibleChannelId: string | undefined
  let followedChannelId: string | undefined

  function publish(channelId: string) {
    const state = states.get(channelId)
    const unread =
      state && hasUnread(state) && !muted.get().has(channelId)
        ? { serverId: state.serverId, mentions: countMentions(state) }
        : undefined
    store.set(map => {
      const before = map.get(channelId)
      if (before?.mentions === unread?.mentions && (before === undefined) === (unread === undefined))
        return map
      const changed = new Map(map)
      if (unread) changed.set(channelId, unread)
      else changed.delete(channelId)
      return changed
    })
  }

  function setDivider(channelId: string, messageId: string | undefined) {
    dividers.set(map => {
      if (map.get(channelId) === messageId) return map
      const changed = new Map(map)
      if (messageId === undefined) changed.delete(channelId)
      else changed.set(channelId, messageId)
      return changed
    })
  }

  function saveNow(channelId: string, messageId: string) {
    if (compareIds(messageId, saved.get(channelId) ?? noMessage) <= 0) return
    const before = saved.get(channelId)
    saved.set(channelId, messageId)
    save(channelId, messageId).catch(() => {
      // The next READY has the old read state, which triggers another request.
      if (saved.get(channelId) === messageId) saved.set(channelId, before ?? noMessage)
    })
  }

  /** Saves immediately, but at most once per interval. */
  function scheduleSave(channelId: string, messageId: string) {
    const entry = scheduled.get(channelId)
    if (entry) {
      entry.messageId = messageId
      return
    }
    saveNow(channelId, messageId)
    const cancel = after(saveIntervalMs, () => {
      const { messageId: next } = scheduled.get(channelId) ?? {}
      scheduled.delete(channelId)
      if (next !== undefined) scheduleSave(channelId, next)
    })
    scheduled.set(channelId, { messageId: undefined, cancel })
  }

  function flushChannel(channelId: string) {
    const entry = scheduled.get(channelId)
    if (!entry) return
    entry.cancel()
    scheduled.delete(channelId)
    if (entry.messageId !== undefined) saveNow(channelId, entry.messageId)
  }

  function markRead(channelId: string, messageId: string) {
    const state = states.get(channelId)
    if (!state || compareIds(messageId, state.lastReadId) <= 0) return
    states.set(channelId, {
      ...state,
      lastReadId: messageId,
      newestId: newerId(state.newestId, messageId),
      counted: compareIds(messageId, state.countedUntil) < 0 ? state.counted : 0,
      arrived: state.arrived.filter(({ id }) => compareIds(id, messageId) > 0),
    })
    publish(channelId)
  }

  function isMentioned({ serverId, mentions: { users, roles, everyone } }: Message, selfId: string): boolean {
    if (serverId === null || everyone || users.includes(selfId)) return true
    const own = rolesByServer.get(serverId) ?? []
    return roles.some(role => role === serverId || own.includes(role))
  }

  function removeStates(matches: (channelId: string, state: State) => boolean) {
    for (const [id, state] of [...states]) {
      if (!matches(id, state)) continue
      states.delete(id)
      setDivider(id, undefined)
      publish(id)
    }
  }

  return {
    store,
    dividers,
    isLoaded,
    muted,

    setMuted(channelId: string, isMuted: boolean) {
      muted.set(ids => {
        const changed = new Set(ids)
        if (isMuted) changed.add(channelId)
        else changed.delete(channelId)
        return changed
      })
      publish(channelId)
    },

    /** The channel that is shown, if the tab is visible. */
    visibleChannelId: () => visibleChannelId,

    /** Undefined also while the tab is hidden, unlike that of the timelines. */
    setVisibleChannel(channelId: string | undefined) {
      visibleChannelId = channelId
    },

    /**
     * Call it when the end of the channel becomes visible: all messages are read, also those that arrive until
     * `unfollow`. `newestId` is the last message that the service stores.
     */
    follow(channelId: string, newestId: string | undefined) {
      followedChannelId = channelId
      const state = states.get(channelId)
      if (state) {
        // Deleted and ephemeral messages are read too.
        const last = newestId ?? state.lastReadId
        states.set(channelId, { ...state, lastReadId: last, newestId: last, counted: 0, arrived: [] })
        publish(channelId)
      }
      if (newestId !== undefined) scheduleSave(channelId, newestId)
    },

    unfollow(channelId: string) {
      if (followedChannelId === channelId) followedChannelId = undefined
    },

    /** Call it when the channel is no longer shown. */
    leave(channelId: string) {
      flushChannel(channelId)
      if (!store.get().has(channelId)) setDivider(channelId, undefined)
    },

    removeDivider: (channelId: string) => setDivider(channelId, undefined),

    /** Replaces everything with the read states and the own roles of READY. */
    reset(readStates: readonly ReadState[], servers: readonly { id: string; roles?: readonly string[] }[]) {
      rolesByServer.clear()
      for (const { id, roles = [] } of servers) rolesByServer.set(id, roles)
      const before = new Map(states)
      states.clear()
      saved.clear()
      muted.set(() => new Set(readStates.flatMap(state => (state.muted ? [state.channelId] : []))))
      for (const { channelId, serverId, lastMessageId, lastReadId, mentionCount } of readStates) {
        const newestId = lastMessageId ?? noMessage
        states.set(channelId, {
          serverId,
          lastReadId,
          newestId,
          counted: mentionCount,
          countedUntil: newestId,
          arrived: [],
        })
        saved.set(channelId, lastReadId)
        const localReadId = before.get(channelId)?.lastReadId
        if (localReadId !== undefined && compareIds(localReadId, lastReadId) > 0) {
          markRead(channelId, localReadId)
          scheduleSave(channelId, localReadId)
        }
        const state = states.get(channelId)
        if (state && hasUnread(state) && !dividers.get().has(channelId))
          setDivider(channelId, state.lastReadId)
      }
      for (const id of new Set([...before.keys(), ...states.keys()])) publish(id)
      isLoaded.set(() => true)
    },

    /** Sets the own roles on a server, whose mentions count. */
    setRoles(serverId: string, roles: readonly string[]) {
      rolesByServer.set(serverId, roles)
    },

    /** `notifies`: false for a message of a blocked user, which makes no channel unread (community/blocks). */
    messageCreated(message: Message, selfId: string, notifies = true) {
      const { id, channelId, serverId } = message
      const state = states.get(channelId) ?? {
        serverId,
        // A channel that was created after READY has no unread messages before its first one.
        lastReadId: String(BigInt(id) - 1n),
        newestId: noMessage,
        counted: 0,
        countedUntil: noMessage,
        arrived: [],
      }
      if (compareIds(id, state.countedUntil) <= 0) return
      const isOwn = message.author.id === selfId
      if (isOwn) setDivider(channelId, undefined)
      if (channelId === followedChannelId || (isOwn && !hasUnread(state))) {
        states.set(channelId, { ...state, lastReadId: newerId(state.lastReadId, id), newestId: id })
        return
      }
      if (isOwn || !notifies) return
      if (!hasUnread(state)) setDivider(channelId, state.lastReadId)
      const arrived = [...state.arrived, { id, mentioned: isMentioned(message, selfId) }]
      states.set(channelId, { ...state, newestId: newerId(state.newestId, id), arrived })
      publish(channelId)
    },

    /** A deferred response that is completed may mention the user. */
    messageUpdated(message: Message, selfId: string) {
      const state = states.get(message.channelId)
      const entry = state?.arrived.find(({ id }) => id === message.id)
      const mentioned = isMentioned(message, selfId)
      if (!state || !entry || entry.mentioned === mentioned) return
      const arrived = state.arrived.map(other => (other === entry ? { ...other, mentioned } : other))
      states.set(message.channelId, { ...state, arrived })
      publish(message.channelId)
    },

    messageDeleted(channelId: string, messageId: string) {
      const state = states.get(channelId)
      if (!state?.arrived.some(({ id }) => id === messageId)) return
      const arrived = state.arrived.filter(({ id }) => id !== messageId)
      const newestId = newerId(arrived.at(-1)?.id ?? noMessage, state.countedUntil)
      states.set(channelId, { ...state, arrived, newestId })
      publish(channelId)
    },

    /** CHANNEL_READ: the user has read up to the message, maybe in another window. */
    channelRead(channelId: string, messageId: string) {
      saved.set(channelId, newerId(saved.get(channelId) ?? noMessage, messageId))
      markRead(channelId, messageId)
      if (visibleChannelId !== channelId && !store.get().has(channelId)) setDivider(channelId, undefined)
    },

    removeChannel: (channelId: string) => removeStates(id => id === channelId),
    removeServer: (serverId: string) => removeStates((_, state) => state.serverId === serverId),

    /** Sends the scheduled requests now, because the page may be closed. */
    flush() {
      for (const channelId of [...scheduled.keys()]) flushChannel(channelId)
    },
  }
}

function hasUnread({ lastReadId, newestId }: State): boolean {
  return compareIds(lastReadId, newestId) < 0
}

function countMentions({ counted, arrived }: State): number {
  return counted + arrived.filter(({ mentioned }) => mentioned).length
}
