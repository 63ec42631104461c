import { type Clock, systemClock } from '../../kit/clock.ts'
import {
  type Bus,
  type BusMessage,
  BusUnavailable,
  checkName,
  RequestTimeout,
  ResponderFailed,
} from '../bus.ts'
import { createSafeOnError, type Handler, type OnError, SubscriberList } from '../bus-handlers.ts'
import { createNamedRoundRobins } from '../round-robin.ts'
import {
  createNatsTransport,
  type NatsTransport,
  type OnMessage,
  openNatsConnection,
} from './nats-connection.ts'
import { openNatsKv } from './nats-kv.ts'

interface Options {
  clock?: Clock
  onError?: OnError
  /**
   * First word of every subject, and of the names of the buckets. Separates services on one server. `[A-Za-z0-9_-]`.
   */
  prefix?: string
  onConnectionChange?: (connected: boolean) => void
  /** Average delay between two attempts to reconnect. Default 500. */
  reconnectMs?: number
}

export interface NatsBus extends Bus {
  /** The storage type and maximum age of the bucket of `kv`, as the server reports them. */
  describeKv(): Promise<{ storage: string; maxAgeMs: number }>
  /** Deletes the buckets for all nodes. The next use creates them again. */
  dropKv(): Promise<void>
}

type RequestHandler = (message: BusMessage) => Promise<BusMessage>

/** Replies that are not JSON. After RESPONDER_CLOSED the requester tries again. */
const RESPONDER_FAILED = ''
const RESPONDER_CLOSED = '-'

/**
 * The bus between nodes. Rejects with BusUnavailable if the server cannot be reached; later it reconnects without end.
 * Requires JetStream for `kv`. Messages are sent as JSON, at most 1 MiB (`max_payload` of the server).
 *
 * In a cluster of NATS servers, `subscribe` resolves when this node's server knows the subscription. The other servers
 * learn of it shortly after.
 */
export async function connectNatsBus(url: string, options: Options = {}): Promise<NatsBus> {
  const { clock = systemClock, prefix = 'gatehouse', reconnectMs = 500 } = options
  if (!/^[A-Za-z0-9_-]+$/.test(prefix)) throw new TypeError('"prefix" must match [A-Za-z0-9_-]+.')
  const onError = createSafeOnError(options.onError)
  const connection = await openNatsConnection(url, reconnectMs)
  const reconnectListeners: (() => void)[] = []
  const transport = createNatsTransport(connection, prefix, onError, connected => {
    options.onConnectionChange?.(connected)
    if (connected) for (const listener of reconnectListeners) listener()
  })
  const openKv = (name: string, mebibytes: number) =>
    openNatsKv(connection, { name, maxBytes: mebibytes * 1024 * 1024 }, clock, transport.isConnected)
  const [{ kv, bucket }, requests] = await Promise.all([
    openKv(prefix, 64),
    openKv(`${prefix}-requests`, 16),
  ]).catch(async error => {
    await connection.close()
    throw error
  })
  return {
    ...createNatsMessaging(transport, clock, onError),
    kv,
    requestKv: requests.kv,
    onReconnect: listener => void reconnectListeners.push(listener),
    healthy: transport.isConnected,
    close: transport.close,
    describeKv: bucket.describe,
    async dropKv() {
      await Promise.all([bucket.drop(), requests.bucket.drop()])
    },
  }
}

function createNatsMessaging(
  transport: NatsTransport,
  clock: Clock,
  onError: OnError,
): Pick<Bus, 'publish' | 'subscribe' | 'respond' | 'request'> {
  const subjects = new Map<string, { subscribers: SubscriberList; unsubscribe: Promise<() => void> }>()
  const responders = createNamedRoundRobins<RequestHandler>()

  function checkAccess(name: string): void {
    if (!transport.isConnected()) throw new BusUnavailable()
    checkName(name)
  }

  /** Passes JSON that cannot be parsed to `onError`. */
  function parseWith(subject: string, handle: (message: BusMessage) => void): OnMessage {
    return text => {
      try {
        handle(JSON.parse(text))
      } catch (error) {
        onError(error, subject)
      }
    }
  }

  /** The subscribers of this node share one NATS subscription, so that a message is sent and parsed once per node. */
  async function addSubscriber(name: string, handler: Handler): Promise<() => void> {
    const subject = subjects.get(name) ?? openSubject(name)
    subjects.set(name, subject)
    const removeFromList = subject.subscribers.add(handler)
    function remove(): void {
      removeFromList()
      if (subject.subscribers.size > 0 || subjects.get(name) !== subject) return
      subjects.delete(name)
      subject.unsubscribe.then(
        unsubscribe => unsubscribe(),
        () => {},
      )
    }
    await subject.unsubscribe.catch(error => {
      remove()
      throw error
    })
    return remove
  }

  function openSubject(name: string) {
    const subscribers = new SubscriberList(name, onError)
    const onMessage = parseWith(name, message => subscribers.snapshot()(message))
    return { subscribers, unsubscribe: transport.subscribe('event', name, onMessage) }
  }

  async function handleRequest(subject: string, text: string, reply: (text: string) => void): Promise<void> {
    const responder = transport.isConnected() ? responders.next(subject) : undefined
    try {
      reply(responder ? await callResponder(responder, subject, text) : RESPONDER_CLOSED)
    } catch (error) {
      onError(error, subject)
    }
  }

  async function callResponder(responder: RequestHandler, subject: string, text: string): Promise<string> {
    try {
      return encode(await responder(JSON.parse(text)))
    } catch (error) {
      onError(error, subject)
      return RESPONDER_FAILED
    }
  }

  return {
    publish(subject, message) {
      try {
        checkName(subject)
        transport.publish(subject, encode(message))
      } catch (error) {
        onError(error, subject)
      }
    },

    async subscribe(subject, handler) {
      checkAccess(subject)
      return { close: await addSubscriber(subject, handler) }
    },

    async respond(subject, handler) {
      checkAccess(subject)
      const onMessage: OnMessage = (text, reply) => void handleRequest(subject, text, reply)
      const remove = responders.add(subject, handler)
      // Each responder has its own NATS subscription, so that nodes with more responders receive more requests.
      const unsubscribe = await transport.subscribe('request', subject, onMessage).catch(error => {
        remove()
        throw error
      })
      return {
        close() {
          remove()
          unsubscribe()
        },
      }
    },

    async request(subject, message, timeoutMs) {
      const text = encode(message)
      const deadline = clock() + timeoutMs
      for (let left = timeoutMs; left > 0; left = deadline - clock()) {
        checkAccess(subject)
        const reply = await transport.request(subject, text, left)
        if (reply === RESPONDER_FAILED) throw new ResponderFailed(subject)
        if (reply !== RESPONDER_CLOSED) return JSON.parse(reply)
      }
      throw new RequestTimeout(subject)
    },
  }
}

function encode(message: BusMessage): string {
  return JSON.stringify(message) ?? 'null'
}
