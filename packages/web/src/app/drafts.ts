/** What was written and not sent, by channel: kept for the tab, so that a reload loses none of it. */
export interface Drafts {
  of(channelId: string): string
  /** An empty text forgets. */
  keep(channelId: string, text: string): void
  clear(): void
  /** Who is signed in: what another wrote in this tab is forgotten. */
  belongTo(userId: string): void
}

type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

const ownerKey = 'drafts-of'
const prefix = 'draft:'

/** `open` gives the storage of the tab; a browser that keeps nothing is fine, then a reload loses them. */
export function createDrafts(open: () => TabStorage): Drafts {
  const texts = new Map<string, string>()
  function tryTo(work: (storage: TabStorage) => void) {
    try {
      work(open())
    } catch {
      // Refused or full: what is in memory holds.
    }
  }

  tryTo(storage => {
    for (let at = 0; at < storage.length; at += 1) {
      const key = storage.key(at) ?? ''
      if (key.startsWith(prefix)) texts.set(key.slice(prefix.length), storage.getItem(key) ?? '')
    }
  })

  function clear() {
    tryTo(storage => {
      for (const channelId of texts.keys()) storage.removeItem(prefix + channelId)
    })
    texts.clear()
  }

  return {
    of: channelId => texts.get(channelId) ?? '',
    keep(channelId, text) {
      if (text === '') {
        texts.delete(channelId)
        tryTo(storage => storage.removeItem(prefix + channelId))
        return
      }
      texts.set(channelId, text)
      tryTo(storage => storage.setItem(prefix + channelId, text))
    },
    clear,
    belongTo(userId) {
      tryTo(storage => {
        if (storage.getItem(ownerKey) !== userId) clear()
        storage.setItem(ownerKey, userId)
      })
    },
  }
}
