import { CloseCode, Op } from '@gatehouse/protocol/gateway'
import { framesPerWindow, frameWindowMs, maxFrameBytes } from '@gatehouse/protocol/limits'
import type { Clock } from '../kit/clock.ts'
import type { Deadlines } from './deadlines.ts'
import { frames, isHeartbeat, readFrame, readIdentify, readResume } from './frames.ts'
import type { Visitor } from './identity.ts'
import type { Line, Session } from './session.ts'

/** A socket, as its owner (socket.ts) gives it. */
export interface Peer {
  transmit(frame: Buffer | string): void
  /** Bytes that the other side has not taken yet. */
  backlog(): number
  shut(code: number, reason: string): void
}

/** How a socket comes to its session. Both close the connection themselves where it may not have one. */
export interface Entry {
  identify(connection: Connection, visitor: Visitor, token: unknown): Promise<void>
  resume(
    connection: Connection,
    visitor: Visitor,
    resume: { token: unknown; sessionId: unknown; seq: unknown },
  ): Promise<void>
}

export interface ConnectionDeps {
  clock: Clock
  entry: Entry
  /** Of those that have no session yet. */
  identifyDeadlines: Pick<Deadlines<Connection>, 'set' | 'delete'>
  /** Of those that have one: two heartbeats. */
  heartbeatDeadlines: Pick<Deadlines<Connection>, 'set' | 'delete'>
  /** The heartbeat of a session. */
  alive: (session: Session) => void
  /** The session's socket is gone. */
  lost: (session: Session, connection: Connection) => void
  closed: (connection: Connection) => void
}

/** Close code and reason. */
type Fault = readonly [code: number, reason: string]

/** A reader that takes nothing: what it missed it gets by a resume, not from our memory. */
const maxBacklogBytes = 4 * 1024 * 1024

/** One socket, from hello to its end: reads its frames and holds it to the rules of D55 and D62. */
export class Connection implements Line {
  closed = false
  readonly #peer: Peer
  readonly #deps: ConnectionDeps
  #session: Session | undefined
  /** Until there is a session: it holds on to the headers of the request. */
  #visitor: Visitor | undefined
  /** An identify or a resume is being looked at. */
  #entering = false
  /** Times of the frames of the last minute. */
  #frameTimes: number[] = []

  constructor(peer: Peer, visitor: Visitor, deps: ConnectionDeps) {
    this.#peer = peer
    this.#visitor = visitor
    this.#deps = deps
    deps.identifyDeadlines.set(this)
    this.transmit(frames.hello)
  }

  transmit(frame: Buffer | string): void {
    if (this.closed) return
    this.#peer.transmit(frame)
    if (this.#session !== undefined && this.#peer.backlog() > maxBacklogBytes) {
      this.close(CloseCode.unknown, 'too slow')
    }
  }

  close(code: number, reason: string): void {
    if (this.closed) return
    this.#peer.shut(code, reason)
    this.gone()
  }

  /** The socket is closed or being closed: nothing more is read from it or written to it. */
  gone(): void {
    if (this.closed) return
    this.closed = true
    this.#deps.identifyDeadlines.delete(this)
    this.#deps.heartbeatDeadlines.delete(this)
    if (this.#session !== undefined) this.#deps.lost(this.#session, this)
    this.#session = undefined
    this.#deps.closed(this)
  }

  /** The connection has its session. */
  enter(session: Session): void {
    this.#session = session
    this.#visitor = undefined
    this.#deps.heartbeatDeadlines.set(this)
  }

  /** The resume came to nothing: the socket stays open to identify (D62). */
  refuseResume(): void {
    this.#deps.identifyDeadlines.set(this)
    this.transmit(frames.invalidSession)
  }

  /** Control frames count too; they answer nothing. */
  controlFrame(): void {
    if (!this.closed) this.#count()
  }

  receive(data: Buffer, binary: boolean): void {
    if (this.closed || !this.#count()) return
    const fault = this.#read(data, binary)
    if (fault !== undefined) this.close(...fault)
  }

  #read(data: Buffer, binary: boolean): Fault | undefined {
    if (binary) return [CloseCode.badFrame, 'text frames only']
    if (data.length > maxFrameBytes) return [CloseCode.badFrame, 'over 4 KiB']
    const frame = readFrame(data.toString())
    if (frame === undefined) return [CloseCode.badFrame, 'not JSON with a number as op']
    switch (frame.op) {
      case Op.heartbeat:
        return this.#heartbeat(frame.d)
      case Op.identify:
        return this.#identify(frame.d)
      case Op.resume:
        return this.#resume(frame.d)
      default:
        // D62: before identify, any other frame is first of all one too early.
        return this.#known ? [CloseCode.unknownOp, 'unknown op'] : [CloseCode.notIdentified, 'identify first']
    }
  }

  #heartbeat(d: unknown): Fault | undefined {
    if (!isHeartbeat(d)) return [CloseCode.badSeq, 'd is no sequence number']
    this.transmit(frames.heartbeatAck)
    if (this.#session === undefined || this.closed) return
    this.#deps.heartbeatDeadlines.set(this)
    this.#deps.alive(this.#session)
  }

  #identify(d: unknown): Fault | undefined {
    if (this.#known) return [CloseCode.alreadyIdentified, 'identified already']
    const identify = readIdentify(d)
    if (identify === undefined) return [CloseCode.badFrame, 'd is no object']
    this.#enterBy(visitor => this.#deps.entry.identify(this, visitor, identify.token))
  }

  #resume(d: unknown): Fault | undefined {
    if (this.#known) return [CloseCode.alreadyIdentified, 'identified already']
    const resume = readResume(d)
    if (resume === undefined) return [CloseCode.badFrame, 'd is no object']
    this.#enterBy(visitor => this.#deps.entry.resume(this, visitor, resume))
  }

  #enterBy(enter: (visitor: Visitor) => Promise<void>): void {
    if (this.#visitor === undefined) return
    this.#entering = true
    this.#deps.identifyDeadlines.delete(this)
    void enter(this.#visitor).finally(() => {
      this.#entering = false
    })
  }

  get #known(): boolean {
    return this.#entering || this.#session !== undefined
  }

  /** D55: at most 120 frames in any 60 s. */
  #count(): boolean {
    const now = this.#deps.clock()
    // `concat` takes as much as it holds: what was pushed to, or spread, has room for 16 more in every idle connection.
    this.#frameTimes = this.#frameTimes.filter(time => time > now - frameWindowMs).concat(now)
    if (this.#frameTimes.length <= framesPerWindow) return true
    this.close(CloseCode.tooManyFrames, 'over 120 frames in 60 s')
    return false
  }
}
