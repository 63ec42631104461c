import { connect, type NatsConnection, RequestError, TimeoutError } from '@nats-io/transport-node'
import { BusUnavailable, NoResponders, RequestTimeout } from '../bus.ts'
import type { OnError } from '../bus-handlers.ts'
import { parseNatsUrl } from './nats-url.ts'

/** Without a limit, a server whose process is stopped would block every caller until it continues. */
const RESPONSE_TIMEOUT_MS = 2000

/** The JetStream API for key-value buckets needs it. */
const MIN_VERSION = [2, 9] as const

/** Calls `reply` to respond to a request. Publications have nobody to reply to. */
export type OnMessage = (text: string, reply: (text: string) => void) => void

export type NatsTransport = ReturnType<typeof createNatsTransport>

/** Rejects with BusUnavailable if no server accepts the connection. Reconnects without end after that. */
export async function openNatsConnection(url: string, reconnectMs: number): Promise<NatsConnection> {
  const target = parseNatsUrl(url)
  let connection: NatsConnection
  try {
    connection = await connect({
      ...target,
      name: 'gatehouse',
      timeout: 5000,
      maxReconnectAttempts: -1,
      ignoreAuthErrorAbort: true,
      // Random, so that the nodes do not reconnect at the same time.
      reconnectDelayHandler: () => reconnectMs * (0.5 + Math.random()),
      // A network failure without a TCP reset is detected within 15 s.
      pingInterval: 5000,
      maxPingOut: 2,
      noAsyncTraces: true,
    })
  } catch (cause) {
    throw new BusUnavailable(cause)
  }
  const version = connection.info?.version ?? ''
  if (!isSupportedNats(version)) {
    await connection.close()
    throw new Error(`NATS ${MIN_VERSION.join('.')} or newer is needed. The server at NATS_URL is ${version}.`)
  }
  return connection
}

export function isSupportedNats(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1])
}

/** Text messages over a NATS connection, with the errors of the bus. Events and requests have separate subjects. */
export function createNatsTransport(
  connection: NatsConnection,
  prefix: string,
  onError: OnError,
  onConnectionChange: (connected: boolean) => void,
) {
  let connected = true
  let closed = false
  let lostMessages = 0

  async function watchStatus(): Promise<void> {
    for await (const { type } of connection.status()) {
      const nextConnected = type === 'reconnect' || (connected && type !== 'disconnect' && type !== 'close')
      if (nextConnected === connected || closed) continue
      connected = nextConnected
      if (connected && lostMessages > 0) {
        onError(new Error(`${lostMessages} messages were not sent while the bus was unavailable`), '')
      }
      lostMessages = 0
      onConnectionChange(connected)
    }
  }
  watchStatus().catch(error => onError(error, ''))

  return {
    isConnected: () => connected && !closed,

    /** Throws BusUnavailable for the first message that an outage loses. The others are counted, not reported. */
    publish(subject: string, text: string): void {
      if (connected && !closed) connection.publish(`${prefix}.event.${subject}`, text)
      else if (lostMessages++ === 0 || closed) throw new BusUnavailable()
    },

    /**
     * Resolves to the function that unsubscribes, when the server has processed the subscription. The responders of a
     * subject are one queue group: each request is sent to one of them.
     */
    async subscribe(kind: 'event' | 'request', subject: string, onMessage: OnMessage): Promise<() => void> {
      const subscription = connection.subscribe(`${prefix}.${kind}.${subject}`, {
        ...(kind === 'request' ? { queue: 'responders' } : {}),
        callback(error, msg) {
          if (error) onError(error, subject)
          else onMessage(msg.string(), text => void msg.respond(text))
        },
      })
      try {
        await withLimit(connection.flush())
      } catch (cause) {
        subscription.unsubscribe()
        throw new BusUnavailable(cause)
      }
      if (kind === 'event') return () => subscription.unsubscribe()
      // Requests that the server has already sent to this responder still arrive, and the other responders process
      // them.
      return () => void subscription.drain().catch(() => {})
    },

    /** Rejects with NoResponders, RequestTimeout or BusUnavailable. */
    async request(subject: string, text: string, timeoutMs: number): Promise<string> {
      const options = { timeout: Math.max(1, timeoutMs) }
      try {
        return (await connection.request(`${prefix}.request.${subject}`, text, options)).string()
      } catch (error) {
        if (isNoResponders(error)) throw new NoResponders(subject)
        if (error instanceof TimeoutError) throw new RequestTimeout(subject)
        throw new BusUnavailable(error)
      }
    },

    async close(): Promise<void> {
      if (closed) return
      closed = true
      // Sends what was published before. Without a connection, `drain` would not finish.
      if (connected) await withLimit(connection.drain()).catch(() => {})
      await withLimit(connection.close()).catch(() => {})
    },
  }
}

export function isNoResponders(error: unknown): boolean {
  return error instanceof RequestError && error.isNoResponders()
}

/** Rejects if the server does not respond in time. */
async function withLimit(work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('the server does not respond')), RESPONSE_TIMEOUT_MS)
  try {
    await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
