import { resumeEvents } from '@gatehouse/protocol/limits'
import type { Identity } from './authenticate.ts'
import { EncodedEvent } from './encoded-event.ts'

export interface SessionConnection {
  send(frame: Buffer | string): void
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
  /** Called if more events than the replay buffer's limit are unsent. The client can then not resume. */
  readonly #onOverflow: (session: GatewaySession) => void
  /** Events until READY is sent, then undefined. */
  #beforeReady: EncodedEvent[] | undefined = []
  #seq = 0
  /** The latest events. The last one has the number `#seq`. */
  #replayBuffer: EncodedEvent[] = []
  #seqAtDisconnect = 0

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
    this.#seq = 1
    // READY is not in the replay buffer: a client that has not received it does not know the id of the session.
    connection.send(ready.toFrame(1))
    const events = this.#beforeReady ?? []
    this.#beforeReady = undefined
    for (const event of events) this.send(event)
  }

  send(event: EncodedEvent): void {
    if (this.#beforeReady !== undefined) {
      if (this.#beforeReady.push(event) > resumeEvents) this.#onOverflow(this)
      return
    }
    this.#seq++
    this.#replayBuffer.push(event)
    if (this.#replayBuffer.length > resumeEvents) this.#replayBuffer.shift()
    if (this.connection !== undefined) this.connection.send(event.toFrame(this.#seq))
    else if (this.#seq - this.#seqAtDisconnect > resumeEvents) this.#onOverflow(this)
  }

  disconnect(): void {
    this.connection = undefined
    this.#seqAtDisconnect = this.#seq
  }

  /** Sends all events after `seq` again, then RESUMED. `seq` must not exceed `this.seq`. */
  resume(connection: SessionConnection, seq: number, now: number): void {
    this.connection = connection
    // `send` closes a connection that reads too slowly, which ends the loop.
    for (let missed = seq + 1; missed <= this.#seq && this.connection === connection; missed++) {
      const event = this.#replayBuffer[this.#replayBuffer.length - 1 - (this.#seq - missed)]
      if (event !== undefined) connection.send(event.toFrame(missed))
      event?.releaseFrame()
    }
    this.send(new EncodedEvent({ t: 'RESUMED', d: {} }, now))
  }

  canResume(seq: number): boolean {
    return this.#beforeReady === undefined && this.#seq - seq <= this.#replayBuffer.length
  }

  /** Removes events that arrived before `time` from the replay buffer. */
  discardBefore(time: number): void {
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
