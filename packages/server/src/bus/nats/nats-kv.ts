import {
  JetStreamApiCodes,
  JetStreamApiError,
  jetstream,
  jetstreamManager,
  StorageType,
} from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import { type NatsConnection, nanos } from '@nats-io/transport-node'
import type { Clock } from '../../kit/clock.ts'
import { BusUnavailable, checkName, checkTtl, type KeyValueStore, MAX_TTL_MS } from '../bus.ts'
import { isNoResponders } from './nats-connection.ts'

const API_TIMEOUT_MS = 2000

type Bucket = Awaited<ReturnType<typeof openBucket>>

/**
 * The key-value store in a JetStream bucket. A bucket has one maximum age for all keys, so each value is stored as
 * `<expiresAt>:<value>` and readers ignore expired values. Clock differences between nodes shorten or extend the time
 * to live.
 */
export async function openNatsKv(
  connection: NatsConnection,
  { name, maxBytes }: { name: string; maxBytes: number },
  clock: Clock,
  isConnected: () => boolean,
): Promise<{ kv: KeyValueStore; bucket: Bucket }> {
  const bucket = await openBucket(connection, name, maxBytes, isConnected)

  async function read(key: string) {
    const stored = await bucket.read(key)
    if (!stored) return undefined
    const colon = stored.text.indexOf(':')
    const expiresAt = Number(stored.text.slice(0, colon))
    const value = stored.text.slice(colon + 1)
    return { value, expiresAt, revision: stored.revision, expired: expiresAt <= clock() }
  }

  const kv: KeyValueStore = {
    async get(key) {
      checkName(key)
      const entry = await read(key)
      return entry && !entry.expired ? { value: entry.value, revision: entry.revision } : undefined
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
      // Repeats only if another node wrote the key between the read and the write.
      for (let revision = 0; ; ) {
        if (await bucket.replace(key, text, revision)) return true
        const entry = await read(key)
        if (entry && !entry.expired) return false
        revision = entry?.revision ?? 0
      }
    },

    async update(key, value, revision, ttlMs) {
      checkName(key)
      if (ttlMs !== undefined) {
        checkTtl(ttlMs)
        return bucket.replace(key, `${clock() + ttlMs}:${value}`, revision)
      }
      const entry = await read(key)
      if (!entry || entry.expired || entry.revision !== revision) return false
      return bucket.replace(key, `${entry.expiresAt}:${value}`, revision)
    },

    async delete(key) {
      checkName(key)
      for (;;) {
        const entry = await read(key)
        if (!entry || entry.expired) return false
        if (await bucket.remove(key, entry.revision)) return true
      }
    },
  }
  return { kv, bucket }
}

/** A bucket in the memory of the NATS server. Creates it again, empty, if the server lost it in a restart. */
async function openBucket(
  connection: NatsConnection,
  name: string,
  maxBytes: number,
  isConnected: () => boolean,
) {
  const stream = `KV_${name}`
  const js = jetstream(connection, { timeout: API_TIMEOUT_MS })
  const manager = await jetstreamManager(connection, { timeout: API_TIMEOUT_MS, checkAPI: false })
  // In a cluster, the loss of one server loses no data.
  const replicas = connection.info?.cluster === undefined ? 1 : 3
  let opened: Promise<KV> | undefined

  async function findOrCreate(): Promise<KV> {
    const config = await manager.streams.info(stream).then(
      info => info.config,
      async error => {
        if (!isMissing(error)) throw error
        const created = await manager.streams.add({
          name: stream,
          subjects: [`$KV.${name}.>`],
          storage: StorageType.Memory,
          num_replicas: replicas,
          max_age: nanos(MAX_TTL_MS),
          max_msgs_per_subject: 1,
          // When full, it drops the oldest keys, as the store of one process does.
          max_msgs: 100_000,
          max_bytes: maxBytes,
          discard: 'old',
          allow_rollup_hdrs: true,
        })
        return created.config
      },
    )
    // Ephemeral messages must never be written to a disk (bots/ephemeral).
    if (config.storage !== StorageType.Memory) {
      throw new Error(`the NATS stream ${stream} is not in memory`)
    }
    // The server was alone when the bucket was created.
    if (config.num_replicas < replicas) await manager.streams.update(stream, { num_replicas: replicas })
    // No direct reads: a replica may be behind the acknowledged writes.
    return new Kvm(js).open(name, { allow_direct: false })
  }

  async function attempt<T>(work: (kv: KV) => Promise<T>): Promise<T> {
    opened ??= findOrCreate()
    try {
      return await work(await opened)
    } catch (error) {
      opened = undefined
      throw error
    }
  }

  async function withBucket<T>(work: (kv: KV) => Promise<T>): Promise<T> {
    if (!isConnected()) throw new BusUnavailable()
    try {
      return await attempt(work).catch(error => {
        if (!isMissing(error)) throw error
        return attempt(work)
      })
    } catch (cause) {
      throw new BusUnavailable(cause)
    }
  }

  await attempt(async () => {}).catch(cause => {
    throw new Error('cannot open a key-value bucket in NATS; start nats-server with JetStream (-js)', {
      cause,
    })
  })
  return {
    read: (key: string) =>
      withBucket(async kv => {
        const entry = await kv.get(key)
        return entry?.operation === 'PUT' ? { text: entry.string(), revision: entry.revision } : undefined
      }),
    write: (key: string, text: string) => withBucket(kv => kv.put(key, text)),
    /** Returns false if the key has another revision. Revision 0 requires that the key does not exist. */
    replace: (key: string, text: string, revision: number) =>
      withBucket(kv =>
        kv.put(key, text, { previousSeq: revision }).then(
          () => true,
          error => {
            if (isRevisionConflict(error)) return false
            throw error
          },
        ),
      ),
    /** Returns false if the key has another revision. A purge up to a sequence number leaves no delete marker. */
    remove: (key: string, revision: number) =>
      withBucket(async () => {
        const range = { filter: `$KV.${name}.${key}`, seq: revision + 1 }
        return (await manager.streams.purge(stream, range)).purged > 0
      }),
    async describe() {
      const { config } = await manager.streams.info(stream)
      return { storage: config.storage, maxAgeMs: config.max_age / 1e6 }
    },
    async drop() {
      await manager.streams.delete(stream).catch(error => {
        if (!isMissing(error)) throw error
      })
    },
  }
}

function isMissing(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.code === JetStreamApiCodes.StreamNotFound
  return isNoResponders(error) || (error instanceof Error && isNoResponders(error.cause))
}

function isRevisionConflict(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamWrongLastSequence
}
