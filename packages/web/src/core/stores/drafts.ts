type LocalStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

/** Id of the user whose drafts the browser has. */
const ownerKey = 'drafts-of'
const prefix = 'draft:'

export const maxDrafts = 100
/** Characters. A longer draft stays in memory. */
export const maxDraftLength = 20_000

/**
 * What one user has typed and not sent, by id: of a channel, or of the message that is edited. In `localStorage`, so
 * that it survives a closed tab, until the user signs out or another user signs in. `open` returns the storage. If the
 * browser denies it or it is full, drafts stay in memory.
 */
export function createDrafts(open: () => LocalStorage, now: () => number) {
  const memory = new Map<string, string>()
  let owner: string | undefined

  function withStorage<Result>(work: (storage: LocalStorage) => Result): Result | undefined {
    try {
      return work(open())
    } catch {
      return undefined
    }
  }

  /** Undefined if another user signed in since, or this one signed out in another tab. */
  const withOwnStorage = <Result>(work: (storage: LocalStorage) => Result): Result | undefined =>
    withStorage(storage =>
      owner !== undefined && storage.getItem(ownerKey) === owner ? work(storage) : undefined,
    )

  const listKeys = (storage: LocalStorage) =>
    Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '').filter(key =>
      key.startsWith(prefix),
    )

  function removeAll() {
    memory.clear()
    withStorage(storage => {
      for (const key of listKeys(storage)) storage.removeItem(key)
      storage.removeItem(ownerKey)
    })
  }

  /** The value is `<time> <text>`. Removes the oldest if there are too many. */
  function store(storage: LocalStorage, id: string, text: string): true {
    storage.setItem(prefix + id, `${now()} ${text}`)
    const time = (key: string) => Number.parseInt(storage.getItem(key) ?? '', 10) || 0
    const oldest = listKeys(storage).sort((a, b) => time(b) - time(a))
    for (const key of oldest.slice(maxDrafts)) storage.removeItem(key)
    return true
  }

  return {
    get(id: string): string {
      const stored = withOwnStorage(storage => storage.getItem(prefix + id)) ?? ''
      return memory.get(id) ?? stored.slice(stored.indexOf(' ') + 1)
    },
    /** An empty text removes the draft. */
    set(id: string, text: string) {
      memory.delete(id)
      if (text === '') return void withOwnStorage(storage => storage.removeItem(prefix + id))
      const isStored = text.length <= maxDraftLength && withOwnStorage(storage => store(storage, id, text))
      if (!isStored) memory.set(id, text)
    },
    clear: removeAll,
    /** Removes the drafts of another user. Until this is called, drafts are in memory only. */
    setOwner(userId: string) {
      owner = userId
      withStorage(storage => {
        if (storage.getItem(ownerKey) !== userId) removeAll()
        storage.setItem(ownerKey, userId)
      })
    },
  }
}
