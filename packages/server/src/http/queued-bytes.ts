import { maxQueuedBytesOfProcess, maxQueuedBytesOfUser } from '@gatehouse/protocol/limits'

/** A connection with the bytes that are queued for its client. */
export interface QueuedConnection {
  /** Bytes that the service has for the client and that the network has not accepted. */
  readonly queuedBytes: number
  /** Undefined before identify, and for a response to a request without a credential. */
  readonly userId: string | undefined
  /** Discards the queued bytes. */
  terminate(): void
}

interface Limits {
  ofUser: number
  ofProcess: number
}

const defaultLimits: Limits = { ofUser: maxQueuedBytesOfUser, ofProcess: maxQueuedBytesOfProcess }

/**
 * The bytes that are queued for clients. If a user, a bot or the process has too many, the connections with the most are
 * closed (gateway/queued-bytes). A number may be too high, because a client can read without a call of `update`, so
 * they are read again before a connection is closed.
 */
export class QueuedBytes {
  readonly #limits: Limits
  /** Only queues with bytes. */
  readonly #entries = new Map<QueuedConnection, { bytes: number; userId: string | undefined }>()
  readonly #queuesByUser = new Map<string, Set<QueuedConnection>>()
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
    const userId = this.#entries.get(queue)?.userId
    if (userId !== undefined) this.#enforce(this.#queuesByUser.get(userId) ?? [], this.#limits.ofUser)
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
    // A connection that is closed has no user, but its socket may still have bytes.
    const userId = queue.userId ?? entry?.userId
    const queuesOfUser = userId === undefined ? undefined : this.#queuesByUser.get(userId)
    if (bytes > 0) {
      this.#entries.set(queue, { bytes, userId })
      if (userId !== undefined) this.#queuesByUser.set(userId, (queuesOfUser ?? new Set()).add(queue))
    } else if (this.#entries.delete(queue) && userId !== undefined) {
      queuesOfUser?.delete(queue)
      if (queuesOfUser?.size === 0) this.#queuesByUser.delete(userId)
    }
  }

  #bytesOf(queue: QueuedConnection): number {
    return this.#entries.get(queue)?.bytes ?? 0
  }

  #sum(queues: readonly QueuedConnection[]): number {
    return queues.reduce((sum, queue) => sum + this.#bytesOf(queue), 0)
  }
}
