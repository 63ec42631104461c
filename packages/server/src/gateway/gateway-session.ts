import { resumeEvents } from '@gatehouse/protocol/limits'
import type { Identity } from './authenticate.ts'
import { EncodedEvent } from './encoded-event.ts'

export interface SessionConnection {
  send(frame: Buffer | string): void
  /** Resolves when the client has read what was sent, or the connection is closed. Undefined if little is unread. */
  drained(): Promise<void> | undefined
  close(code: number, reason: string): void
}

/**
 * The numbered events of one client (`s`, from 1), with a replay buffer for resume. Continues without a connection.
 * READY is number 1; events that arrive while it is read from the database are sent after it, so that none is missing
 * between its data and the following events.
 */
export class GatewaySession {
  readonly id: string
  readonly identity: Identity
  ended = false
  credentialWatch: SessionGroup | undefined
  subscriptions: EventSubscriptions | undefined
  connection: SessionConnection | undefined
  /** True if the client has been sent all events, so that a new one is sent immediately. */
  isLive = false
  /** Called if more events than the replay buffer's limit are unsent. The client can then not resume. */
  readonly #onOverflow: (session: GatewaySession) => void
  /** Events until READY is sent, then undefined. */
  #beforeReady: EncodedEvent[] | undefined = []
  #seq = 0
  /** The latest events. The last one has the number `#seq`. */
  #replayBuffer: EncodedEvent[] = []
  /** The last event that was sent. */
  #sentSeq = 0

  constructor(id: string, identity: Identity, onOverflow: (session: GatewaySession) => void) {
    this.id = id
    this.identity = identity
    this.#onOverflow = onOverflow
  }

  get seq(): number {
    return this.#seq
  }

  /** True if READY was sent. */
  get started(): boolean {
    return this.#beforeReady === undefined
  }

  start(connection: SessionConnection, ready: EncodedEvent): void {
    this.connection = connection
    // READY is not in the replay buffer: a client that has not received it does not know the id of the session.
    connection.send(ready.toFrame(1))
    this.#sentSeq = 1
    this.#replayBuffer = this.#beforeReady ?? []
    this.#seq = 1 + this.#replayBuffer.length
    this.#beforeReady = undefined
    void this.#sendMissed(connection)
  }

  send(event: EncodedEvent): void {
    if (this.#beforeReady !== undefined) {
      if (this.#beforeReady.push(event) > resumeEvents) this.#onOverflow(this)
      return
    }
    this.#seq++
    this.#replayBuffer.push(event)
    if (this.#replayBuffer.length > resumeEvents) this.#replayBuffer.shift()
    if (this.isLive) {
      this.#sentSeq = this.#seq
      this.connection?.send(event.toFrame(this.#seq))
    } else if (this.#seq - this.#sentSeq > resumeEvents) this.#onOverflow(this)
  }

  disconnect(): void {
    this.connection = undefined
    this.isLive = false
  }

  /** Sends all events after `seq` again, then RESUMED. `seq` must not exceed `this.seq`. */
  resume(connection: SessionConnection, seq: number, now: number): void {
    this.connection = connection
    this.#sentSeq = seq
    void this.#sendMissed(connection, new EncodedEvent({ t: 'RESUMED', d: {} }, now))
  }

  /**
   * Sends the events after `#sentSeq`, no faster than the client reads, so that few bytes are queued. New events are sent
   * after them.
   */
  async #sendMissed(connection: SessionConnection, last?: EncodedEvent): Promise<void> {
    this.isLive = false
    for (;;) {
      const drained = connection.drained()
      if (drained !== undefined) await drained
      if (this.connection !== connection) return
      if (this.#sentSeq === this.#seq) break
      this.#sentSeq++
      const event = this.#replayBuffer[this.#replayBuffer.length - 1 - (this.#seq - this.#sentSeq)]
      if (event !== undefined) connection.send(event.toFrame(this.#sentSeq))
      event?.releaseFrame()
    }
    this.isLive = true
    if (last !== undefined) this.send(last)
  }

  canResume(seq: number): boolean {
    return this.#beforeReady === undefined && this.#seq - seq <= this.#replayBuffer.length
  }

  /** Removes events that arrived before `time` from the replay buffer. */
  discardBefore(time: number): void {
    if (!this.isLive) return
    const first = this.#replayBuffer.findIndex(event => event.receivedAt >= time)
    if (first !== 0) this.#replayBuffer.splice(0, first < 0 ? this.#replayBuffer.length : first)
  }
}

/** Gateway sessions of one credential, user or bot. */
export class SessionGroup {
  // Copied on each change, because a loop over it may end sessions, which removes them.
  protected sessions: readonly GatewaySession[] = []

  add(session: GatewaySession): void {
    this.sessions = [...this.sessions, session]
  }

  remove(session: GatewaySession): void {
    this.sessions = this.sessions.filter(other => other !== session)
  }
}

/** Sends the events of one user or bot to its gateway sessions on this node. */
export class EventSubscriptions extends SessionGroup {
  send(event: EncodedEvent): void {
    for (const session of this.sessions) session.send(event)
  }

  /** Resolves when events that are sent to a single session, such as interactions, can reach this one. */
  async onConnect(_session: GatewaySession): Promise<void> {}

  onDisconnect(_session: GatewaySession): void {}

  visibleChannelIds(): string[] {
    return []
  }
}
