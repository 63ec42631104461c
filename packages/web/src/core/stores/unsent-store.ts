import type { Problem } from '../api/client.ts'

/** A message that the service has not accepted yet, as `localStorage` has it. */
export interface UnsentMessage {
  /** The service accepts a nonce once, so the message can be sent again if the response was lost. */
  nonce: string
  channelId: string
  content: string
  createdAt: string
  /** Increases over all messages of the user. They are sent in this order. */
  position: number
  /** Why the last attempt failed. */
  problem?: Problem
  /** The service rejected the message. Only the user can retry it. */
  rejected?: true
}

/** Id of the user who signed in last in this browser. */
const ownerKey = 'unsent-of'

type LocalStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

export type UnsentStore = ReturnType<typeof createUnsentStore>

/**
 * The unsent messages of one user in `localStorage`: they survive a reload and a closed tab, and all tabs of the user
 * share them. `open` returns the storage. If the browser denies it or it is full, messages stay in memory.
 */
export function createUnsentStore(open: () => LocalStorage) {
  const memory = new Map<string, UnsentMessage>()
  let owner: string | undefined

  function withStorage<Result>(work: (storage: LocalStorage, prefix: string) => Result): Result | undefined {
    if (owner === undefined) return undefined
    try {
      return work(open(), `unsent:${owner}:`)
    } catch {
      return undefined
    }
  }

  function write(message: UnsentMessage) {
    const written = withStorage((storage, prefix) => {
      storage.setItem(prefix + message.nonce, JSON.stringify(message))
      return true
    })
    if (written) memory.delete(message.nonce)
    else memory.set(message.nonce, message)
  }

  function listStored(): UnsentMessage[] {
    return (
      withStorage((storage, prefix) =>
        Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')
          .filter(key => key.startsWith(prefix))
          .flatMap(key => parse(storage.getItem(key)) ?? []),
      ) ?? []
    )
  }

  /** In the order in which they were written. */
  function list(): UnsentMessage[] {
    // If another user signed in since, this tab would send the messages with the session cookie of that user.
    if (withStorage(storage => storage.getItem(ownerKey) !== owner)) return []
    const all = new Map([...listStored(), ...memory.values()].map(message => [message.nonce, message]))
    return [...all.values()].sort((a, b) => a.position - b.position || (a.nonce < b.nonce ? -1 : 1))
  }

  const get = (nonce: string) =>
    memory.get(nonce) ?? withStorage((storage, prefix) => parse(storage.getItem(prefix + nonce)))

  function remove(nonce: string) {
    memory.delete(nonce)
    withStorage((storage, prefix) => storage.removeItem(prefix + nonce))
  }

  return {
    /** Until this is called, messages are in memory only. */
    setOwner(userId: string) {
      owner = userId
      withStorage(storage => storage.setItem(ownerKey, userId))
    },
    list,
    get,
    add(message: Omit<UnsentMessage, 'position'>): UnsentMessage {
      const added = { ...message, position: (list().at(-1)?.position ?? 0) + 1 }
      write(added)
      return added
    },
    /** Does nothing if the message was removed in the meantime. */
    update(message: UnsentMessage) {
      if (get(message.nonce)) write(message)
    },
    remove,
    clear() {
      for (const { nonce } of list()) remove(nonce)
    },
    /** Whether a `storage` event with this key concerns the messages of this user. */
    isOwnKey: (key: string | null) =>
      key === null || (owner !== undefined && key.startsWith(`unsent:${owner}:`)),
  }
}

function parse(text: string | null): UnsentMessage | undefined {
  if (text === null) return undefined
  try {
    const value: Partial<UnsentMessage> | null = JSON.parse(text)
    const isComplete =
      typeof value?.nonce === 'string' &&
      typeof value.channelId === 'string' &&
      typeof value.content === 'string' &&
      typeof value.createdAt === 'string' &&
      typeof value.position === 'number'
    return isComplete ? (value as UnsentMessage) : undefined
  } catch {
    return undefined
  }
}
