import { resumeEvents } from '@gatehouse/protocol/limits'
import type { Identity } from './identity.ts'
import { Outgoing } from './outgoing.ts'

/** The socket that a session has at the moment. */
export interface Line {
  transmit(frame: Buffer | string): void
  close(code: number, reason: string): void
}

/** What a session takes part in: all that a person may see, or the interactions of a bot. */
export interface Home {
  add(session: Session): void
  remove(session: Session): void
  /** The session has a socket from now on: what it alone may take reaches it when this resolves. */
  connected(session: Session): Promise<void>
  /** Those that its sessions are told of at the moment; none for a bot. */
  visibleChannels(): string[]
  disconnected(session: Session): void
}

/**
 * What one client receives, in order, numbered from 1: outlives its socket, so that it can be resumed. READY is the
 * first; what comes before it is held, so that nothing falls between what READY says and what follows.
 */
export class Session {
  readonly id: string
  readonly identity: Identity
  ended = false
  /** What ends it with its credential. */
  control: { remove(session: Session): void } | undefined
  home: Home | undefined
  line: Line | undefined
  /** Told when it can no longer be resumed, whatever its client has received. */
  readonly #outrun: (session: Session) => void
  #held: Outgoing[] | undefined = []
  #seq = 0
  /** The last ones, the newest with the number `#seq`. */
  #kept: Outgoing[] = []
  /** `#seq` when it lost its socket. */
  #sent = 0

  constructor(id: string, identity: Identity, outrun: (session: Session) => void) {
    this.id = id
    this.identity = identity
    this.#outrun = outrun
  }

  get seq(): number {
    return this.#seq
  }

  /** Whether its client was told of it. */
  get started(): boolean {
    return this.#held === undefined
  }

  /** READY, and what came meanwhile. */
  start(line: Line, ready: Outgoing): void {
    this.line = line
    this.#seq = 1
    // Not kept: who has not received it does not know the session's id.
    line.transmit(ready.frame(1))
    const held = this.#held ?? []
    this.#held = undefined
    for (const event of held) this.deliver(event)
  }

  deliver(event: Outgoing): void {
    if (this.#held !== undefined) {
      if (this.#held.push(event) > resumeEvents) this.#outrun(this)
      return
    }
    this.#seq++
    this.#kept.push(event)
    if (this.#kept.length > resumeEvents) this.#kept.shift()
    if (this.line !== undefined) this.line.transmit(event.frame(this.#seq))
    else if (this.#seq - this.#sent > resumeEvents) this.#outrun(this)
  }

  /** The socket is gone; what comes is kept. */
  detach(): void {
    this.line = undefined
    this.#sent = this.#seq
  }

  /** All after `seq`, which is not above `this.seq`, is sent again, then RESUMED. */
  resume(line: Line, seq: number, now: number): void {
    this.line = line
    for (let missed = seq + 1; missed <= this.#seq && this.line === line; missed++) {
      const event = this.#kept[this.#kept.length - 1 - (this.#seq - missed)]
      if (event !== undefined) line.transmit(event.frame(missed))
      event?.settle()
    }
    this.deliver(new Outgoing({ t: 'RESUMED', d: {} }, now))
  }

  canResume(seq: number): boolean {
    return this.#held === undefined && this.#seq - seq <= this.#kept.length
  }

  /** Lets go of what came before `time`. */
  forget(time: number): void {
    const old = this.#kept.findIndex(event => event.at >= time)
    if (old !== 0) this.#kept.splice(0, old < 0 ? this.#kept.length : old)
  }
}
