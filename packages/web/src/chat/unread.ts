import type { Message } from '@gatehouse/protocol/messages'
import { createStore, type Store } from '../app/store.ts'

export interface UnreadChannel {
  serverId: string | null
  count: number
  mentions: number
}

/** What came while one was not looking, since the page was opened: the service keeps no read marks. */
export interface Unread {
  store: Store<ReadonlyMap<string, UnreadChannel>>
  /** The channel that is on the screen, in a tab that is seen. */
  viewing(): string | undefined
  view(channelId: string | undefined): void
  arrived(message: Message, selfId: string): void
  clear(channelId: string): void
  clearServer(serverId: string): void
}

export function createUnread(): Unread {
  const store = createStore<ReadonlyMap<string, UnreadChannel>>(new Map())
  let current: string | undefined
  const clearWhere = (matches: (channelId: string, unread: UnreadChannel) => boolean) =>
    store.set(map => {
      const kept = [...map].filter(([id, unread]) => !matches(id, unread))
      return kept.length === map.size ? map : new Map(kept)
    })
  return {
    store,
    viewing: () => current,
    view(channelId) {
      current = channelId
      if (channelId) clearWhere(id => id === channelId)
    },
    arrived(message, selfId) {
      if (message.channelId === current || message.author.id === selfId) return
      const { channelId, serverId, mentions } = message
      const mentioned = serverId === null || mentions.everyone || mentions.users.includes(selfId)
      store.set(map => {
        const known = map.get(channelId) ?? { serverId, count: 0, mentions: 0 }
        const next = { ...known, count: known.count + 1, mentions: known.mentions + (mentioned ? 1 : 0) }
        return new Map(map).set(channelId, next)
      })
    },
    clear: channelId => clearWhere(id => id === channelId),
    clearServer: serverId => clearWhere((_, unread) => unread.serverId === serverId),
  }
}
