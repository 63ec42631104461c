/**
 * The bus port: publish/subscribe, request/reply and a key-value store, shared by all nodes of the service. Local (one
 * process) or NATS.
 *
 * A subject is one or more words of `[A-Za-z0-9_-]`, separated by dots, for example `channel.<id>`: see
 * `subjects` in events/gateway-events.ts. Publications and requests are separate: a subscriber receives no requests, a
 * responder no publications.
 *
 * All methods except `publish` and `close` reject with BusUnavailable while the connection to the other nodes is down.
 */
export interface Bus {
  /**
   * Sends the message at most once to each current subscriber, after the current synchronous code has finished.
   * Messages of one publisher on one subject arrive in order. Never throws: a message that cannot be sent (no
   * connection, too large) is dropped and passed to `onError`.
   */
  publish(subject: string, message: BusMessage): void
  /**
   * Resolves when every message that any node publishes from then on will be received. An error of `handler` is passed
   * to `onError` and does not affect other subscribers.
   */
  subscribe(subject: string, handler: (message: BusMessage) => void): Promise<Subscription>
  /**
   * Replies to requests. Each request is sent to one responder: round-robin among those of one node, random among
   * nodes. If the handler rejects, the request rejects with ResponderFailed.
   */
  respond(subject: string, handler: (message: BusMessage) => Promise<BusMessage>): Promise<Subscription>
  /** Rejects with NoResponders immediately if there are none, and with RequestTimeout after `timeoutMs`. */
  request(subject: string, message: BusMessage, timeoutMs: number): Promise<BusMessage>
  readonly kv: KeyValueStore
  /**
   * For rate-limit windows and the ids of GitHub deliveries. Its own store, so that many requests cannot evict values
   * of `kv`.
   */
  readonly requestKv: KeyValueStore
  /** Calls `listener` after each reconnect to the other nodes. Messages published during the outage were lost. */
  onReconnect(listener: () => void): void
  /** False while the connection to the other nodes is down, and after `close`. */
  healthy(): boolean
  close(): Promise<void>
}

/** Any JSON value. The local bus passes the same object to all receivers, so they must not change it. */
export type BusMessage = unknown

export interface Subscription {
  /** No message arrives after this returns. */
  close(): void
}

/**
 * A key-value store with a time to live per key, in memory only (of this process or of NATS), never on a disk. Keys
 * have the syntax of subjects. The store is bounded: when it is full, it drops the oldest keys before they expire.
 */
export interface KeyValueStore {
  get(key: string): Promise<Entry | undefined>
  /** Resolves when every node can read the value. */
  set(key: string, value: string, ttlMs: number): Promise<void>
  /** Atomic among all nodes. Returns false if the key exists. */
  create(key: string, value: string, ttlMs: number): Promise<boolean>
  /**
   * Returns false if the key does not have this revision. Without `ttlMs`, it keeps the time of expiry, and returns
   * false also if the key has expired.
   */
  update(key: string, value: string, revision: number, ttlMs?: number): Promise<boolean>
  /** Returns false if the key does not exist. */
  delete(key: string): Promise<boolean>
}

export interface Entry {
  value: string
  /** Changes with every write of the key. */
  revision: number
}

/** The longest `ttlMs`: 15 minutes for an interaction, plus one for clocks that differ between nodes. */
export const MAX_TTL_MS = 16 * 60_000

/** Protects the NATS protocol, which is text, against wildcards and line breaks in a subject or key. */
export function checkName(name: string): void {
  if (!/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(name)) {
    throw new TypeError('A subject or key must consist of words of [A-Za-z0-9_-], separated by dots.')
  }
}

export function checkTtl(ttlMs: number): void {
  if (!(ttlMs <= MAX_TTL_MS)) throw new RangeError(`"ttlMs" must be at most ${MAX_TTL_MS}.`)
}

export class NoResponders extends Error {
  constructor(subject: string) {
    super(`no responders on ${subject}`)
    this.name = 'NoResponders'
  }
}

export class RequestTimeout extends Error {
  constructor(subject: string) {
    super(`request on ${subject} timed out`)
    this.name = 'RequestTimeout'
  }
}

/** The responder threw. Its error is passed to the responder's `onError`, not to the requester. */
export class ResponderFailed extends Error {
  constructor(subject: string) {
    super(`the responder on ${subject} failed`)
    this.name = 'ResponderFailed'
  }
}

/** The connection to the other nodes is down, or the bus is closed. Maps to 503. */
export class BusUnavailable extends Error {
  constructor(cause?: unknown) {
    super('the bus is unavailable', { cause })
    this.name = 'BusUnavailable'
  }
}
