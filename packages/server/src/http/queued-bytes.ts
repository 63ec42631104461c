import { maxQueuedBytesOfProcess, maxQueuedBytesOfUser } from '@gatehouse/protocol/limits'

/** A connection with the bytes that are queued for its client. */
export interface QueuedConnection {
  /** Bytes that the service has for the client and that the network has not accepted. */
  readonly queuedBytes: number
  /** That of `limitKeyOf`. Undefined before identify, and for a response to a request without a credential. */
  readonly limitKey: string | undefined
  /** Discards the queued bytes. */
  terminate(): void
}

interface Limits {
  ofUser: number
  ofProcess: number
}

const defaultLimits: Limits = { ofUser: maxQueuedBytesOfUser, ofProcess: maxQueuedBytesOfProcess }

/**
 * The bytes that are queued for clients. If one key or the process has too many, the connections with the most are
 * closed (gateway/queued-bytes). A number may be too high, because a client can read without a call of `update`, so
 * they are read again before a connection is closed.
 */
export class QueuedBytes {
  readonly #limits: Limits
  /** Only queues with bytes. */
  readonly #entries = new Map<QueuedConnection, { bytes: number; limitKey: string | undefined }>()
  readonly #queuesByKey = new Map<string, Set<QueuedConnection>>()
  #total = 0

  constructor(limits = defaultLimits) {
    this.#limits = limits
  }

  /** Call it when the queue may have grown. Returns its bytes. */
  update(queue: QueuedConnection): number {
    const bytes = queue.queuedBytes
    const hasGrown = bytes > this.#bytesOf(queue)
    this.#set(queue, bytes)
    if (!hasGrown) return bytes
    const limitKey = this.#entries.get(queue)?.limitKey
    if (limitKey !== undefined) this.#enforce(this.#queuesByKey.get(limitKey) ?? [], this.#limits.ofUser)
    if (this.#total > this.#limits.ofProcess) this.#enforce(this.#entries.keys(), this.#limits.ofProcess)
    return bytes
  }

  /** All queued bytes. */
  read(): number {
    for (const queue of [...this.#entries.keys()]) this.#set(queue, queue.queuedBytes)
    return this.#total
  }

  /** Call it when the socket is closed. */
  delete(queue: QueuedConnection): void {
    this.#set(queue, 0)
  }

  #enforce(group: Iterable<QueuedConnection>, limit: number): void {
    const queues = [...group]
    if (this.#sum(queues) <= limit) return
    for (const queue of queues) this.#set(queue, queue.queuedBytes)
    let sum = this.#sum(queues)
    for (const queue of queues.sort((a, b) => this.#bytesOf(b) - this.#bytesOf(a))) {
      if (sum <= limit) return
      sum -= this.#bytesOf(queue)
      this.#set(queue, 0)
      queue.terminate()
    }
  }

  #set(queue: QueuedConnection, bytes: number): void {
    const entry = this.#entries.get(queue)
    this.#total += bytes - (entry?.bytes ?? 0)
    // A connection that is closed has no key, but its socket may still have bytes.
    const limitKey = queue.limitKey ?? entry?.limitKey
    const queuesOfKey = limitKey === undefined ? undefined : this.#queuesByKey.get(limitKey)
    if (bytes > 0) {
      this.#entries.set(queue, { bytes, limitKey })
      if (limitKey !== undefined) this.#queuesByKey.set(limitKey, (queuesOfKey ?? new Set()).add(queue))
    } else if (this.#entries.delete(queue) && limitKey !== undefined) {
      queuesOfKey?.delete(queue)
      if (queuesOfKey?.size === 0) this.#queuesByKey.delete(limitKey)
    }
  }

  #bytesOf(queue: QueuedConnection): number {
    return this.#entries.get(queue)?.bytes ?? 0
  }

  #sum(queues: readonly QueuedConnection[]): number {
    return queues.reduce((sum, queue) => sum + this.#bytesOf(queue), 0)
  }
}
