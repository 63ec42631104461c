import type { Clock } from '../kit/clock.ts'
import { checkName, checkTtl, type Transient } from './bus.ts'

/** What a shared store of keys must be able to do. Revisions are its own, above 0. */
export interface Bucket {
  read(key: string): Promise<Stored | undefined>
  write(key: string, text: string): Promise<void>
  /** False where the key's revision is another one now; 0 says that there must be none. */
  replace(key: string, text: string, revision: number): Promise<boolean>
  /** False where the key's revision is another one now. */
  remove(key: string, revision: number): Promise<boolean>
}

interface Stored {
  text: string
  revision: number
}

/**
 * Gives the keys of a bucket that cannot expire them one by one a time each: it stands before the value and is judged by
 * the reader's clock. So the clocks of the nodes have to agree within what a life may be off.
 */
export function createExpiring(bucket: Bucket, clock: Clock): Transient {
  async function read(key: string) {
    const stored = await bucket.read(key)
    if (!stored) return undefined
    const colon = stored.text.indexOf(':')
    const expiresAt = Number(stored.text.slice(0, colon))
    const value = stored.text.slice(colon + 1)
    return { value, expiresAt, revision: stored.revision, live: expiresAt > clock() }
  }

  return {
    async get(key) {
      checkName(key)
      const entry = await read(key)
      return entry?.live ? { value: entry.value, revision: entry.revision } : undefined
    },

    async set(key, value, ttlMs) {
      checkName(key)
      checkTtl(ttlMs)
      await bucket.write(key, `${clock() + ttlMs}:${value}`)
    },

    async create(key, value, ttlMs) {
      checkName(key)
      checkTtl(ttlMs)
      const text = `${clock() + ttlMs}:${value}`
      // Each turn is lost only to another node that got its own change through in between.
      for (let revision = 0; ; ) {
        if (await bucket.replace(key, text, revision)) return true
        const entry = await read(key)
        if (entry?.live) return false
        revision = entry?.revision ?? 0
      }
    },

    async update(key, value, revision) {
      checkName(key)
      const entry = await read(key)
      if (!entry?.live || entry.revision !== revision) return false
      return bucket.replace(key, `${entry.expiresAt}:${value}`, revision)
    },

    async delete(key) {
      checkName(key)
      for (;;) {
        const entry = await read(key)
        if (!entry?.live) return false
        if (await bucket.remove(key, entry.revision)) return true
      }
    },
  }
}
