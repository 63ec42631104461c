type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

const ownerKey = 'drafts-of'
const prefix = 'draft:'

/**
 * The drafts of this tab by channel. `open` returns the storage of the tab, so that a reload does not lose them. If the
 * browser denies the storage, drafts stay in memory.
 */
export function createDrafts(open: () => TabStorage) {
  const texts = new Map<string, string>()

  function withStorage(work: (storage: TabStorage) => void) {
    try {
      work(open())
    } catch {
      // Denied or full: the texts in memory are used.
    }
  }

  withStorage(storage => {
    for (let index = 0; index < storage.length; index += 1) {
      const key = storage.key(index) ?? ''
      if (key.startsWith(prefix)) texts.set(key.slice(prefix.length), storage.getItem(key) ?? '')
    }
  })

  function clear() {
    withStorage(storage => {
      for (const channelId of texts.keys()) storage.removeItem(prefix + channelId)
    })
    texts.clear()
  }

  return {
    get: (channelId: string) => texts.get(channelId) ?? '',
    /** An empty text removes the draft. */
    set(channelId: string, text: string) {
      if (text === '') {
        texts.delete(channelId)
        withStorage(storage => storage.removeItem(prefix + channelId))
        return
      }
      texts.set(channelId, text)
      withStorage(storage => storage.setItem(prefix + channelId, text))
    },
    clear,
    /** Removes the drafts that another user wrote in this tab. */
    setOwner(userId: string) {
      withStorage(storage => {
        if (storage.getItem(ownerKey) !== userId) clear()
        storage.setItem(ownerKey, userId)
      })
    },
  }
}
