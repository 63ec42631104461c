import { type Clock, runEvery, type Timers } from '../kit/clock.ts'
import { BusUnavailable, checkName, checkTtl, type KeyValueStore } from './bus.ts'

interface Options {
  clock: Clock
  timers: Timers
  maxEntries?: number
  maxCharacters?: number
}

interface StoredEntry {
  value: string
  revision: number
  expiresAt: number
}

interface LocalKv extends KeyValueStore {
  readonly size: number
  close(): Promise<void>
}

const SWEEP_MS = 30_000

/**
 * A map in this process. Expired keys are deleted every 30 s. Above 100,000 keys, or 64 Mi characters of keys and
 * values, the keys that were set first are dropped. `update` without `ttlMs` does not change the order.
 */
export function createLocalKv(options: Options): LocalKv {
  const { clock, timers, maxEntries = 100_000, maxCharacters = 64 * 1024 * 1024 } = options
  const entries = new Map<string, StoredEntry>()
  let characters = 0
  let lastRevision = 0
  let closed = false
  const sweeping = runEvery(timers, SWEEP_MS, async () => {
    for (const key of entries.keys()) readUnexpired(key)
  })

  function checkAccess(key: string): void {
    if (closed) throw new BusUnavailable()
    checkName(key)
  }

  /** Removes the entry if it has expired. */
  function readUnexpired(key: string): StoredEntry | undefined {
    const entry = entries.get(key)
    if (entry === undefined || entry.expiresAt > clock()) return entry
    remove(key, entry)
    return undefined
  }

  function remove(key: string, entry: StoredEntry): void {
    entries.delete(key)
    characters -= key.length + entry.value.length
  }

  function write(key: string, value: string, ttlMs: number): void {
    const old = entries.get(key)
    // Removed first, so that the new entry is the last one in the order of the map.
    if (old) remove(key, old)
    entries.set(key, { value, revision: ++lastRevision, expiresAt: clock() + ttlMs })
    characters += key.length + value.length
    dropOldest()
  }

  function dropOldest(): void {
    for (const [key, entry] of entries) {
      if (entries.size <= maxEntries && characters <= maxCharacters) return
      remove(key, entry)
    }
  }

  return {
    async get(key) {
      checkAccess(key)
      const entry = readUnexpired(key)
      return entry && { value: entry.value, revision: entry.revision }
    },
    async set(key, value, ttlMs) {
      checkAccess(key)
      checkTtl(ttlMs)
      write(key, value, ttlMs)
    },
    async create(key, value, ttlMs) {
      checkAccess(key)
      checkTtl(ttlMs)
      if (readUnexpired(key)) return false
      write(key, value, ttlMs)
      return true
    },
    async update(key, value, revision, ttlMs) {
      checkAccess(key)
      if (ttlMs !== undefined) checkTtl(ttlMs)
      const entry = ttlMs === undefined ? readUnexpired(key) : entries.get(key)
      if (entry?.revision !== revision) return false
      if (ttlMs !== undefined) {
        write(key, value, ttlMs)
        return true
      }
      characters += value.length - entry.value.length
      entry.value = value
      entry.revision = ++lastRevision
      dropOldest()
      return true
    },
    async delete(key) {
      checkAccess(key)
      const entry = readUnexpired(key)
      if (entry) remove(key, entry)
      return entry !== undefined
    },
    get size() {
      return entries.size
    },
    async close() {
      closed = true
      entries.clear()
      characters = 0
      await sweeping.close()
    },
  }
}
