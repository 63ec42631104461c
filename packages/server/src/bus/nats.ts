import {
  JetStreamApiCodes,
  JetStreamApiError,
  jetstream,
  jetstreamManager,
  StorageType,
} from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import { connect, type NatsConnection, nanos, RequestError, TimeoutError } from '@nats-io/transport-node'
import { type Clock, systemClock } from '../kit/clock.ts'
import { type Bus, BusUnavailable, MAX_TTL_MS, NoResponders, RequestTimeout } from './bus.ts'
import { guarded, type ReportError, warn } from './deliver.ts'
import { type Bucket, createExpiring } from './expiring.ts'
import { parseNatsUrl } from './nats-url.ts'
import { createWireBus, type Wire } from './wire.ts'

interface Options {
  clock?: Clock
  onError?: ReportError
  /** Stands before every subject and names the bucket: services with different ones do not meet. `[A-Za-z0-9_-]`. */
  prefix?: string
  /** False when the connection is lost, true when it is back: what was published in between has not arrived. */
  onConnection?: (up: boolean) => void
  /** Between two attempts to reconnect, about. Default 500. */
  reconnectMs?: number
}

export interface NatsBus extends Bus {
  /** How the bucket of `transient` is kept, in the server's own words. */
  describeTransient(): Promise<{ storage: string; maxAgeMs: number }>
  /** Removes that bucket, for all nodes. Who needs it next makes it anew. */
  dropTransient(): Promise<void>
}

const API_TIMEOUT_MS = 2000
const CLOSE_TIMEOUT_MS = 2000

/**
 * The bus between nodes. Rejects where the server cannot be reached at the start; once connected it reconnects for ever.
 * JetStream must be on, for `transient`. Messages go as JSON, at most 1 MiB (the server's `max_payload`).
 *
 * @NOTE in a cluster of NATS servers, a subscription is known to the node's own server when `subscribe` resolves, and to
 * the other servers a moment later.
 */
export async function connectNatsBus(url: string, options: Options = {}): Promise<NatsBus> {
  const { clock = systemClock, prefix = 'gatehouse', reconnectMs = 500 } = options
  if (!/^[A-Za-z0-9_-]+$/.test(prefix)) throw new TypeError('the prefix is of [A-Za-z0-9_-]')
  const report = guarded(options.onError ?? warn)
  const connection = await open(url, reconnectMs)
  const wire = createWire(connection, prefix, report, options.onConnection)
  const bucket = await openBucket(connection, prefix, () => wire.up()).catch(async error => {
    await connection.close()
    throw error
  })
  return {
    ...createWireBus(wire, clock, report),
    transient: createExpiring(bucket, clock),
    describeTransient: bucket.describe,
    dropTransient: bucket.drop,
  }
}

function createWire(
  connection: NatsConnection,
  prefix: string,
  report: ReportError,
  onConnection: (up: boolean) => void = () => {},
): Wire {
  let up = true
  let closed = false
  let lost = 0

  async function watch(): Promise<void> {
    for await (const { type } of connection.status()) {
      const now = type === 'reconnect' || (up && type !== 'disconnect' && type !== 'close')
      if (now === up || closed) continue
      up = now
      if (up && lost > 0)
        report(new Error(`${lost} messages were not sent while the bus was unavailable`), '')
      lost = 0
      onConnection(up)
    }
  }
  watch().catch(error => report(error, ''))

  return {
    up: () => up && !closed,

    send(subject, text) {
      if (up && !closed) connection.publish(`${prefix}.event.${subject}`, text)
      // Of an outage the first loss is reported, the others are counted.
      else if (lost++ === 0 || closed) throw new BusUnavailable()
    },

    async listen(kind, subject, queue, receive) {
      const subscription = connection.subscribe(`${prefix}.${kind}.${subject}`, {
        ...(queue === undefined ? {} : { queue }),
        callback(error, msg) {
          if (error) report(error, subject)
          else receive(msg.string(), text => void msg.respond(text))
        },
      })
      try {
        await connection.flush()
      } catch (cause) {
        subscription.unsubscribe()
        throw new BusUnavailable(cause)
      }
      if (queue === undefined) return () => subscription.unsubscribe()
      // What the server has sent to this member already still arrives, for the others to take over.
      return () => void subscription.drain().catch(() => {})
    },

    async ask(subject, text, timeoutMs) {
      const settings = { timeout: Math.max(1, timeoutMs) }
      try {
        return (await connection.request(`${prefix}.request.${subject}`, text, settings)).string()
      } catch (error) {
        if (isNoResponders(error)) throw new NoResponders(subject)
        if (error instanceof TimeoutError) throw new RequestTimeout(subject)
        throw new BusUnavailable(error)
      }
    },

    async close() {
      if (closed) return
      closed = true
      // What was published still goes out; without a connection there is nothing to wait for.
      if (up) await Promise.race([connection.drain().catch(() => {}), elapsed(CLOSE_TIMEOUT_MS)])
      await connection.close()
    },
  }
}

async function open(url: string, reconnectMs: number): Promise<NatsConnection> {
  const target = parseNatsUrl(url)
  try {
    return await connect({
      ...target,
      name: 'gatehouse',
      timeout: 5000,
      maxReconnectAttempts: -1,
      ignoreAuthErrorAbort: true,
      // Spread out, so that the nodes do not all come back in the same moment.
      reconnectDelayHandler: () => reconnectMs * (0.5 + Math.random()),
      // A cut network shows only by silence: noticed within 15 s.
      pingInterval: 5000,
      maxPingOut: 2,
      noAsyncTraces: true,
    })
  } catch (cause) {
    throw new BusUnavailable(cause)
  }
}

/** A bucket in the memory of the server. Where it is gone (the server was restarted), it is made anew, empty. */
async function openBucket(connection: NatsConnection, name: string, up: () => boolean) {
  const stream = `KV_${name}`
  const js = jetstream(connection, { timeout: API_TIMEOUT_MS })
  const manager = await jetstreamManager(connection, { timeout: API_TIMEOUT_MS, checkAPI: false })
  let opened: Promise<KV> | undefined

  async function make(): Promise<KV> {
    const config = await manager.streams.info(stream).then(
      info => info.config,
      async error => {
        if (!isMissing(error)) throw error
        const made = await manager.streams.add({
          name: stream,
          subjects: [`$KV.${name}.>`],
          storage: StorageType.Memory,
          max_age: nanos(MAX_TTL_MS),
          max_msgs_per_subject: 1,
          // Full, it drops what was set first, like the bus of one process.
          max_msgs: 100_000,
          max_bytes: 64 * 1024 * 1024,
          discard: 'old',
          allow_rollup_hdrs: true,
        })
        return made.config
      },
    )
    // D30: what stands here must never reach a disk.
    if (config.storage !== StorageType.Memory)
      throw new Error(`the stream ${stream} of NATS is not in memory`)
    // Not from a replica, which may lag behind what was acknowledged.
    return new Kvm(js).open(name, { allow_direct: false })
  }

  async function attempt<T>(work: (kv: KV) => Promise<T>): Promise<T> {
    opened ??= make()
    try {
      return await work(await opened)
    } catch (error) {
      opened = undefined
      throw error
    }
  }

  async function use<T>(work: (kv: KV) => Promise<T>): Promise<T> {
    if (!up()) throw new BusUnavailable()
    try {
      return await attempt(work).catch(error => {
        if (!isMissing(error)) throw error
        return attempt(work)
      })
    } catch (cause) {
      throw new BusUnavailable(cause)
    }
  }

  const bucket: Bucket = {
    read: key =>
      use(async kv => {
        const entry = await kv.get(key)
        return entry?.operation === 'PUT' ? { text: entry.string(), revision: entry.revision } : undefined
      }),
    write: (key, text) => use(kv => kv.put(key, text)).then(() => {}),
    replace: (key, text, revision) =>
      use(kv =>
        kv.put(key, text, { previousSeq: revision }).then(
          () => true,
          error => {
            if (isOtherRevision(error)) return false
            throw error
          },
        ),
      ),
    // Purging up to this revision takes nothing where there is a later one, and leaves no marker behind.
    remove: (key, revision) =>
      use(async () => {
        const range = { filter: `$KV.${name}.${key}`, seq: revision + 1 }
        return (await manager.streams.purge(stream, range)).purged > 0
      }),
  }
  await attempt(async () => {}).catch(cause => {
    throw new Error('no bucket in NATS for the bus: is JetStream on (nats-server -js)?', { cause })
  })
  return {
    ...bucket,
    async describe() {
      const { config } = await manager.streams.info(stream)
      return { storage: config.storage, maxAgeMs: config.max_age / 1e6 }
    },
    async drop() {
      await manager.streams.delete(stream)
    },
  }
}

function isNoResponders(error: unknown): boolean {
  return error instanceof RequestError && error.isNoResponders()
}

function isMissing(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.code === JetStreamApiCodes.StreamNotFound
  return isNoResponders(error) || (error instanceof Error && isNoResponders(error.cause))
}

function isOtherRevision(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamWrongLastSequence
}

function elapsed(ms: number): Promise<void> {
  return new Promise(resolve => {
    setTimeout(resolve, ms).unref()
  })
}
