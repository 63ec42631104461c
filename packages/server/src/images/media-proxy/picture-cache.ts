import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../kit/clock.ts'

/** A picture as WebP, or null if it cannot be shown. */
export type CachedPicture = Uint8Array | null

export type PictureCache = ReturnType<typeof createPictureCache>

const pictureMs = 24 * 60 * 60 * 1000
const failureMs = 10 * 60 * 1000
const blockBytes = 4096

interface Options {
  clock: Clock
  folder: string
  maxBytes: number
  onError: (error: unknown) => void
}

/**
 * Files of this node, below `maxBytes` together: the one that was used least recently is deleted first. A failure
 * counts as one block. The index is in memory, so the first use deletes the files of an earlier process.
 */
export function createPictureCache({ clock, folder, maxBytes, onError }: Options) {
  /** The one that was used least recently first. `bytes` is 0 for a failure. */
  const entries = new Map<string, { bytes: number; expiresAt: number }>()
  let total = 0
  let emptied: Promise<void> | undefined

  const pathOf = (key: string) => join(folder, key)
  const onDisk = (bytes: number) => Math.max(1, Math.ceil(bytes / blockBytes)) * blockBytes

  /** Not only the entry of the index, because a file may remain from an entry that was replaced. */
  async function remove(key: string): Promise<void> {
    total -= onDisk(entries.get(key)?.bytes ?? 0)
    entries.delete(key)
    await rm(pathOf(key), { force: true }).catch(onError)
  }

  return {
    /** Undefined if the picture is not in the cache, or too old. */
    async get(key: string): Promise<CachedPicture | undefined> {
      const entry = entries.get(key)
      if (entry === undefined || entry.expiresAt <= clock()) return undefined
      entries.delete(key)
      entries.set(key, entry)
      if (entry.bytes === 0) return null
      // Undefined if something else has deleted the file.
      return readFile(pathOf(key)).catch(() => undefined)
    },

    async set(key: string, picture: CachedPicture): Promise<void> {
      emptied ??= rm(folder, { recursive: true, force: true }).catch(onError)
      await emptied
      if (entries.has(key)) await remove(key)
      if (picture !== null) {
        try {
          await mkdir(folder, { recursive: true })
          // Nodes may share the folder, and no reader gets a part of a file.
          const unfinished = pathOf(randomUUID())
          await writeFile(unfinished, picture)
          await rename(unfinished, pathOf(key))
        } catch (error) {
          // The picture is shown without the cache.
          return onError(error)
        }
      }
      const bytes = picture?.length ?? 0
      entries.set(key, { bytes, expiresAt: clock() + (picture === null ? failureMs : pictureMs) })
      total += onDisk(bytes)
      for (const [oldest] of entries) {
        if (total <= maxBytes) break
        await remove(oldest)
      }
    },
  }
}
