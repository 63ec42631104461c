import type { Ready } from '@gatehouse/protocol/gateway'
import { resumeEvents } from '@gatehouse/protocol/limits'
import type { ChannelEvent, DispatchRequest, PublishedEvent } from '../../events/gateway-events.ts'
import type { Identity } from '../connection/gateway-authentication.ts'
import type { ProtocolError } from '../wire-format.ts'
import { EncodedEvent } from './encoded-event.ts'

export interface SessionConnection {
  send(event: EncodedEvent, seq: number): void
  /** Resolves when the client has read what was sent, or the connection is closed. Undefined if little is unread. */
  drained(): Promise<void> | undefined
  close(code: number, reason: string): void
}

/** Sends the events of a session in another format than ours. */
export interface EventTranslation {
  /** Until `start`, the events wait. */
  pause(): void
  /** Resolves when READY was sent. The events that follow it are sent before those that wait. */
  start(connection: SessionConnection, ready: Ready): Promise<void>
  receive(event: PublishedEvent | DispatchRequest): void
  /** True if the session receives the event also without the intent that it needs. */
  wants(event: PublishedEvent): boolean
  translateVisibility(event: ChannelEvent): readonly EncodedEvent[]
  /** Responds to a frame of the client, unless its connection is lost before. */
  request(connection: SessionConnection, op: number, d: unknown): ProtocolError | undefined
  /** True if all events that have arrived were sent. */
  readonly isIdle: boolean
  /** Resolves then. Undefined if that is now. */
  idle(): Promise<void> | undefined
  /** For a session that has ended. */
  close(): void
}

/** What another node hands over: the events that the client has not received. */
export interface SessionState {
  /** The number of the last event. */
  seq: number
  /** The last events. */
  events: readonly EncodedEvent[]
  /** The ids of the events that the other node received last. This node may receive them later. */
  recentIds: readonly string[]
}

/**
 * The numbered events of one client (`s`, from 1), with a replay buffer for resume. Continues without a connection.
 * READY is number 1; events that arrive while it is read from the database are sent after it, so that none is missing
 * between its data and the following events.
 */
export class GatewaySession {
  readonly id: string
  readonly identity: Identity
  /**
   * The close code and reason with which the session ended. If it was not connected yet, identify closes the connection
   * with them.
   */
  endedWith: readonly [code: number, reason: string] | undefined
  credentialWatch: SessionGroup | undefined
  subscriptions: EventSubscriptions | undefined
  connection: SessionConnection | undefined
  /** Undefined if the client receives our own events. */
  translation: EventTranslation | undefined
  /** True if the client has been sent all events, so that a new one is sent immediately. */
  isLive = false
  /** Called if more events than the replay buffer's limit are unsent. The client can then not resume. */
  readonly #onOverflow: (session: GatewaySession) => void
  /**
   * The events until READY is sent, or until the session of another node is taken over. For some seconds after that,
   * the ids of the events that the client has. Usually undefined: one field, because `send` reads it for every event.
   */
  #intake: EncodedEvent[] | Set<string> | undefined = []
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

  get ended(): boolean {
    return this.endedWith !== undefined
  }

  get seq(): number {
    return this.#seq
  }

  /** True after `start` or `continueFrom`. */
  get started(): boolean {
    return !Array.isArray(this.#intake)
  }

  start(connection: SessionConnection, ready: EncodedEvent): void {
    this.connection = connection
    // READY is not in the replay buffer: a client that has not received it does not know the id of the session.
    connection.send(ready, 1)
    this.#sentSeq = 1
    this.#replayBuffer = this.#takeIntake()
    this.#seq = 1 + this.#replayBuffer.length
    void this.#sendMissed(connection)
  }

  /**
   * Continues a session of another node: first its events, then CHANNEL_CREATE for revealed channels, then the events
   * that only this node received, then CHANNEL_DELETE for hidden channels.
   */
  continueFrom(
    { seq, events, recentIds }: SessionState,
    { revealed, hidden }: { revealed: readonly EncodedEvent[]; hidden: readonly EncodedEvent[] },
  ): void {
    const known = new Set(recentIds)
    // An event without id is a change of visibility, which `revealed` and `hidden` contain.
    const own = this.#takeIntake().filter(({ id }) => id !== undefined && !known.has(id))
    const added = [...revealed, ...own, ...hidden]
    this.#seq = seq + added.length
    this.#replayBuffer = [...events, ...added].slice(-resumeEvents)
    this.#intake = known
  }

  /** From now on, no event of the other node can arrive here. */
  completeHandOver(): void {
    if (this.started) this.#intake = undefined
  }

  /** The events after `seq`, and the ids of all that arrived since the time. */
  readState(seq: number, recentSince: number): SessionState {
    const events = this.#replayBuffer.slice(Math.max(0, this.#replayBuffer.length - (this.#seq - seq)))
    const recent = this.#replayBuffer.filter(({ receivedAt }) => receivedAt >= recentSince)
    return { seq: this.#seq, events, recentIds: recent.flatMap(({ id }) => id ?? []) }
  }

  /** `encoded` is the JSON of `event`. */
  receive(encoded: EncodedEvent, event: PublishedEvent | DispatchRequest): void {
    if (this.translation === undefined) this.send(encoded)
    else this.translation.receive(event)
  }

  send(event: EncodedEvent): void {
    if (this.#intake !== undefined && this.#withholds(this.#intake, event)) return
    this.#seq++
    this.#replayBuffer.push(event)
    if (this.#replayBuffer.length > resumeEvents) this.#replayBuffer.shift()
    if (this.isLive) {
      this.#sentSeq = this.#seq
      this.connection?.send(event, this.#seq)
    } else if (this.#seq - this.#sentSeq > resumeEvents) this.#onOverflow(this)
  }

  /**
   * Sends a large event, no faster than the client reads. It is not stored for a resume: a client that has not received
   * it cannot resume. Resolves to false if the connection was lost before the client has read it.
   */
  async sendUnstored(connection: SessionConnection, event: EncodedEvent): Promise<boolean> {
    while (this.connection === connection && !this.isLive) await this.#sendMissed(connection)
    if (this.connection !== connection) return false
    this.#seq++
    this.#replayBuffer = [event]
    await this.#sendMissed(connection)
    if (this.connection !== connection) return false
    if (this.#replayBuffer[0] === event) this.#replayBuffer.shift()
    return true
  }

  /** Keeps an event that arrives too early, and drops one that the client already has. */
  #withholds(intake: EncodedEvent[] | Set<string>, event: EncodedEvent): boolean {
    if (!Array.isArray(intake)) return event.id !== undefined && intake.has(event.id)
    if (intake.push(event) > resumeEvents) this.#onOverflow(this)
    return true
  }

  #takeIntake(): EncodedEvent[] {
    const events = Array.isArray(this.#intake) ? this.#intake : []
    this.#intake = undefined
    return events
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
   * Sends the events after `#sentSeq`, no faster than the client reads, so that few bytes are queued. New events are
   * sent after them.
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
      if (event !== undefined) connection.send(event, this.#sentSeq)
      event?.releaseFrame()
    }
    this.isLive = true
    if (last !== undefined) this.send(last)
  }

  canResume(seq: number): boolean {
    return this.started && this.#seq - seq <= this.#replayBuffer.length
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
  /** `source` is the event that was encoded. */
  send(event: EncodedEvent, _source: PublishedEvent): void {
    for (const session of this.sessions) session.send(event)
  }

  /** Resolves when the session, which was added, receives all events that it wants. */
  async subscribeFor(_session: GatewaySession): Promise<void> {}

  /** Resolves when events that are sent to a single session, such as interactions, can reach this one. */
  async onConnect(_session: GatewaySession): Promise<void> {}

  onDisconnect(_session: GatewaySession): void {}

  /**
   * Resolves when such events can reach the session without a connection. Called if the session can move to another
   * node.
   */
  async onWait(_session: GatewaySession): Promise<void> {}

  visibleChannelIds(): string[] {
    return []
  }

  /** The channels of which the session is told, by server id. Without the servers that are being joined. */
  visibleServerChannels(_session: GatewaySession): ReadonlyMap<string, ReadonlySet<string>> {
    return new Map()
  }

  /** True if all events that have arrived were sent. */
  get isIdle(): boolean {
    return true
  }
}
