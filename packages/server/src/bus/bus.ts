/**
 * The bus port: how what happened reaches the other parts of the service, on this node and on the others.
 * Subjects are words of `[A-Za-z0-9_-]` joined by dots: `channel.<id>`, `user.<id>`, `server.<id>`, `app.<id>`,
 * `control.<id>`. Publishing and requesting are apart: a subscriber sees no request, a responder no publication.
 *
 * All but `publish` and `close` reject with BusUnavailable while the other nodes cannot be reached.
 */
export interface Bus {
  /**
   * At most once, to all subscribers at that moment, after the caller has run to its end; in order for one publisher
   * and subject. Never throws; what cannot be sent (the connection is down, the message too large) is lost and reported.
   */
  publish(subject: string, message: BusMessage): void
  /**
   * `handler` must not throw; where it does, that is reported and disturbs nobody else. Resolves when messages
   * published from now on, by any node, will be received. With `queue`, each message goes to one of the subscribers of
   * that queue, in turn on one node, by chance among nodes.
   */
  subscribe(subject: string, handler: (message: BusMessage) => void, queue?: string): Promise<Subscription>
  /**
   * Answers requests on `subject`; each request goes to one of the responders of all nodes, in turn on one node, by
   * chance among nodes. A handler that rejects makes the request reject with ResponderFailed.
   */
  respond(subject: string, handler: (message: BusMessage) => Promise<BusMessage>): Promise<Subscription>
  /** Rejects with NoResponders at once where nobody responds, with RequestTimeout after `timeoutMs`. */
  request(subject: string, message: BusMessage, timeoutMs: number): Promise<BusMessage>
  readonly transient: Transient
  /** False while the connection to the other nodes is down. */
  healthy(): boolean
  close(): Promise<void>
}

/** Any JSON value. On one node it arrives as the same object, or shared by its receivers: they must not change it. */
export type BusMessage = unknown

export interface Subscription {
  /** No message arrives once this has returned. */
  close(): void
}

/**
 * Keys that expire, held in memory only (of this process, or of NATS): never on a disk. Keys are spelled as subjects.
 * Nothing is kept for more than 16 minutes. What is held is bounded: where it gets too much, what was set first is
 * dropped before its time.
 */
export interface Transient {
  get(key: string): Promise<Entry | undefined>
  /** Unconditional. Resolves when every node can read it. */
  set(key: string, value: string, ttlMs: number): Promise<void>
  /** True where the key was absent and is set now: decided once among all nodes. */
  create(key: string, value: string, ttlMs: number): Promise<boolean>
  /** True where the key still had `revision` and is changed now; keeps the time at which it expires. */
  update(key: string, value: string, revision: number): Promise<boolean>
  /** True where it was there. */
  delete(key: string): Promise<boolean>
}

export interface Entry {
  value: string
  /** Differs with every change of the key. */
  revision: number
}

/** The longest `ttlMs`: an interaction's 15 minutes, and one for the clocks of the nodes to differ. */
export const MAX_TTL_MS = 16 * 60_000

/** Subjects and keys: nothing else, no wildcard above all, gets into the protocol of the connection. */
export function checkName(name: string): void {
  if (!/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(name))
    throw new TypeError('not the name of a subject or a key')
}

export function checkTtl(ttlMs: number): void {
  if (!(ttlMs <= MAX_TTL_MS)) throw new RangeError(`a key is kept for ${MAX_TTL_MS} ms at most`)
}

export class NoResponders extends Error {
  constructor(subject: string) {
    super(`nobody responds on ${subject}`)
    this.name = 'NoResponders'
  }
}

export class RequestTimeout extends Error {
  constructor(subject: string) {
    super(`no answer on ${subject} in time`)
    this.name = 'RequestTimeout'
  }
}

/** The responder threw: what, stands in its own report. */
export class ResponderFailed extends Error {
  constructor(subject: string) {
    super(`the responder on ${subject} failed`)
    this.name = 'ResponderFailed'
  }
}

/** The other nodes cannot be reached, or the bus is closed: answered as 503, worth another try. */
export class BusUnavailable extends Error {
  constructor(cause?: unknown) {
    super('the bus is unavailable', { cause })
    this.name = 'BusUnavailable'
  }
}
