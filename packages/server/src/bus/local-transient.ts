import { type Clock, every, type Timers } from '../kit/clock.ts'
import { BusUnavailable, checkName, checkTtl, type Transient } from './bus.ts'

interface Options {
  clock: Clock
  timers: Timers
  maxEntries?: number
  maxCharacters?: number
}

interface Held {
  value: string
  revision: number
  expiresAt: number
}

interface LocalTransient extends Transient {
  readonly size: number
  close(): void
}

const SWEEP_MS = 30_000

/**
 * A map that is swept every 30 s. Beyond 100,000 keys, or 64 Mi characters of keys and values, the keys that were set
 * first go first; `update` does not make a key younger.
 */
export function createLocalTransient(options: Options): LocalTransient {
  const { clock, timers, maxEntries = 100_000, maxCharacters = 64 * 1024 * 1024 } = options
  const held = new Map<string, Held>()
  let characters = 0
  let revisions = 0
  let closed = false
  const sweeping = every(timers, SWEEP_MS, async () => {
    for (const key of held.keys()) live(key)
  })

  function open(key: string): void {
    if (closed) throw new BusUnavailable()
    checkName(key)
  }

  function live(key: string): Held | undefined {
    const entry = held.get(key)
    if (entry === undefined || entry.expiresAt > clock()) return entry
    drop(key, entry)
    return undefined
  }

  function drop(key: string, entry: Held): void {
    held.delete(key)
    characters -= key.length + entry.value.length
  }

  function put(key: string, value: string, ttlMs: number): void {
    const old = held.get(key)
    if (old) drop(key, old)
    held.set(key, { value, revision: ++revisions, expiresAt: clock() + ttlMs })
    characters += key.length + value.length
    trim()
  }

  function trim(): void {
    for (const [key, entry] of held) {
      if (held.size <= maxEntries && characters <= maxCharacters) return
      drop(key, entry)
    }
  }

  return {
    async get(key) {
      open(key)
      const entry = live(key)
      return entry && { value: entry.value, revision: entry.revision }
    },
    async set(key, value, ttlMs) {
      open(key)
      checkTtl(ttlMs)
      put(key, value, ttlMs)
    },
    async create(key, value, ttlMs) {
      open(key)
      checkTtl(ttlMs)
      if (live(key)) return false
      put(key, value, ttlMs)
      return true
    },
    async update(key, value, revision) {
      open(key)
      const entry = live(key)
      if (entry?.revision !== revision) return false
      characters += value.length - entry.value.length
      entry.value = value
      entry.revision = ++revisions
      trim()
      return true
    },
    async delete(key) {
      open(key)
      const entry = live(key)
      if (entry) drop(key, entry)
      return entry !== undefined
    },
    get size() {
      return held.size
    },
    close() {
      closed = true
      sweeping.cancel()
      held.clear()
      characters = 0
    },
  }
}
