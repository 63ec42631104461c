import { isUtf8 } from 'node:buffer'
import { CloseCode, Op } from '@gatehouse/protocol/gateway'
import { framesPerWindow, frameWindowMs, maxFrameBytes, maxQueuedBytes } from '@gatehouse/protocol/limits'
import type { QueuedBytes, QueuedConnection } from '../../http/queued-bytes.ts'
import type { Clock } from '../../kit/clock.ts'
import type { EncodedEvent } from '../sessions/encoded-event.ts'
import type { GatewaySession, SessionConnection } from '../sessions/gateway-session.ts'
import type { ProtocolError, WireFormat } from '../wire-format.ts'
import type { CompressedText } from './frame-compression.ts'
import { type ConstantFrames, type IdentifyData, isHeartbeat, parseFrame, type ResumeData } from './frames.ts'
import type { Handshake } from './gateway-authentication.ts'
import type { Timeouts } from './timeouts.ts'

/** The WebSocket, as socket.ts provides it. */
export interface FrameSocket {
  sendText(frame: Buffer | string): void
  sendCompressed(frame: CompressedText): void
  /** Bytes that the network has not accepted yet, before compression. */
  readonly queuedBytes: number
  /** Resolves when there are none or the socket is closed. Undefined if there are few. */
  drained(): Promise<void> | undefined
  close(code: number, reason: string): void
  /** Closes without a close frame and discards the bytes that were not sent. */
  terminate(): void
}

/** Both resolve when the connection has a session, was closed, or had its resume rejected. They never reject. */
export interface IdentifyHandlers {
  identify(connection: Connection, handshake: Handshake, identify: IdentifyData): Promise<void>
  resume(connection: Connection, handshake: Handshake, resume: ResumeData): Promise<void>
}

interface Deps {
  clock: Clock
  identifyHandlers: IdentifyHandlers
  /** Of connections without a session. */
  identifyTimeouts: Pick<Timeouts<Connection>, 'set' | 'delete'>
  /** Of connections with a session. */
  heartbeatTimeouts: Pick<Timeouts<Connection>, 'set' | 'delete'>
  queuedBytes: Pick<QueuedBytes, 'update' | 'delete'>
  onIdentify: (handshake: Handshake, session: GatewaySession) => void
  onHeartbeat: (session: GatewaySession) => void
  onSessionDisconnect: (session: GatewaySession, connection: Connection) => void
  /** Gets the session, or the handshake if there was none. */
  onClose: (
    connection: Connection,
    handshake: Handshake | undefined,
    session: GatewaySession | undefined,
  ) => void
}

/** One WebSocket. Enforces gateway/frame-limit and gateway/protocol-errors. */
export class Connection implements SessionConnection, QueuedConnection {
  closed = false
  readonly format: WireFormat
  readonly #socket: FrameSocket
  readonly #deps: Deps
  #session: GatewaySession | undefined
  /** Unset when there is a session, because it references the headers of the request. */
  #handshake: Handshake | undefined
  /** True while an identify or resume is processed. */
  #identifying = false
  /** Times of the frames of the last 60 s. */
  #frameTimes: number[] = []

  constructor(socket: FrameSocket, handshake: Handshake, format: WireFormat, deps: Deps) {
    this.#socket = socket
    this.format = format
    this.#handshake = handshake
    this.#deps = deps
    deps.identifyTimeouts.set(this)
    this.sendConstant('hello')
  }

  send(event: EncodedEvent, seq: number): void {
    if (this.closed) return
    const { compression } = this.format
    if (compression === undefined) this.#socket.sendText(event.toFrame(seq))
    else this.#socket.sendCompressed(event.toCompressedFrame(seq, compression))
    this.#checkQueue()
  }

  sendConstant(name: keyof ConstantFrames<unknown>): void {
    if (this.closed) return
    const frame = this.format.frames[name]
    if (typeof frame === 'string') this.#socket.sendText(frame)
    else this.#socket.sendCompressed(frame)
    this.#checkQueue()
  }

  #checkQueue(): void {
    const queuedBytes = this.#deps.queuedBytes.update(this)
    // READY and the events of a resume may be larger. They are sent no faster than the client reads.
    if (queuedBytes > maxQueuedBytes && this.#session?.isLive === true) {
      this.close(CloseCode.unknown, 'client reads too slowly')
    }
  }

  drained(): Promise<void> | undefined {
    return this.closed ? undefined : this.#socket.drained()
  }

  get queuedBytes(): number {
    return this.#socket.queuedBytes
  }

  get limitKey(): string | undefined {
    return this.#session?.identity.userId
  }

  close(code: number, reason: string): void {
    if (this.closed) return
    this.#socket.close(this.format.toCloseCode(code, this.#session !== undefined), reason)
    this.#end()
  }

  terminate(): void {
    this.#socket.terminate()
    this.#end()
  }

  /** A socket that this side has closed keeps its queued bytes until this call, so `#end` does not remove them. */
  onSocketClose(): void {
    this.#deps.queuedBytes.delete(this)
    this.#end()
  }

  /** Nothing is read or sent after this. */
  #end(): void {
    if (this.closed) return
    this.closed = true
    this.#deps.identifyTimeouts.delete(this)
    this.#deps.heartbeatTimeouts.delete(this)
    const session = this.#session
    this.#session = undefined
    this.#deps.onClose(this, this.#handshake, session)
    if (session !== undefined) this.#deps.onSessionDisconnect(session, this)
  }

  setSession(session: GatewaySession): void {
    if (this.#handshake !== undefined) this.#deps.onIdentify(this.#handshake, session)
    this.#session = session
    this.#handshake = undefined
    this.#deps.heartbeatTimeouts.set(this)
  }

  /** The client may identify on the same connection (gateway/protocol-errors). */
  rejectResume(): void {
    if (this.closed) return
    this.#deps.identifyTimeouts.set(this)
    this.sendConstant('invalidSession')
  }

  /** Ping and pong count towards the frame limit. */
  onControlFrame(): void {
    if (!this.closed) this.#countFrame()
  }

  onMessage(data: Buffer, binary: boolean): void {
    if (this.closed || !this.#countFrame()) return
    const error = this.#handleFrame(data, binary)
    if (error !== undefined) this.close(...error)
  }

  #handleFrame(data: Buffer, binary: boolean): ProtocolError | undefined {
    if (binary && !this.format.acceptsBinary) return [CloseCode.badFrame, 'frames must be text']
    if (data.length > maxFrameBytes) return [CloseCode.badFrame, 'frames must be at most 4 KiB']
    // `ws` checks it for text frames.
    if (binary && !isUtf8(data)) return [CloseCode.badFrame, 'frames must be UTF-8']
    const frame = parseFrame(data.toString(), this.format.revive)
    if (frame === undefined) return [CloseCode.badFrame, 'frames must be JSON objects with a numeric op']
    switch (frame.op) {
      case Op.heartbeat:
        return this.#handleHeartbeat(frame.d)
      case Op.identify:
        return this.#handleIdentify(frame.d)
      case Op.resume:
        return this.#handleResume(frame.d)
      default:
        // Before identify, 4003 takes precedence over 4001 (gateway/protocol-errors).
        return this.#hasIdentified
          ? this.#handleRequest(frame.op, frame.d)
          : [CloseCode.notIdentified, 'not identified']
    }
  }

  #handleHeartbeat(d: unknown): ProtocolError | undefined {
    if (!isHeartbeat(d)) return [CloseCode.badSeq, 'd must be a sequence number or null']
    this.sendConstant('heartbeatAck')
    if (this.#session === undefined || this.closed) return
    this.#deps.heartbeatTimeouts.set(this)
    this.#deps.onHeartbeat(this.#session)
  }

  #handleIdentify(d: unknown): ProtocolError | undefined {
    if (this.#hasIdentified) return [CloseCode.alreadyIdentified, 'already identified']
    const identify = this.format.parseIdentify(d)
    if (identify === undefined) return [CloseCode.badFrame, 'd must be an object']
    if (!('token' in identify)) return identify
    this.#startIdentifying(handshake => this.#deps.identifyHandlers.identify(this, handshake, identify))
  }

  #handleResume(d: unknown): ProtocolError | undefined {
    if (this.#hasIdentified) return [CloseCode.alreadyIdentified, 'already identified']
    const resume = this.format.parseResume(d)
    if (resume === undefined) return [CloseCode.badFrame, 'd must be an object']
    this.#startIdentifying(handshake => this.#deps.identifyHandlers.resume(this, handshake, resume))
  }

  #handleRequest(op: number, d: unknown): ProtocolError | undefined {
    if (this.format.ignoredOps.includes(op)) return
    const translation = this.#session?.translation
    if (translation !== undefined) return translation.request(this, op, d)
    return this.format.translation === undefined || this.#session !== undefined
      ? [CloseCode.unknownOp, 'unknown opcode']
      : [CloseCode.notIdentified, 'not identified']
  }

  #startIdentifying(handle: (handshake: Handshake) => Promise<void>): void {
    if (this.#handshake === undefined) return
    this.#identifying = true
    this.#deps.identifyTimeouts.delete(this)
    void handle(this.#handshake).finally(() => {
      this.#identifying = false
    })
  }

  get #hasIdentified(): boolean {
    return this.#identifying || this.#session !== undefined
  }

  /** Returns false if the connection was closed (gateway/frame-limit). */
  #countFrame(): boolean {
    const now = this.#deps.clock()
    // `concat` allocates the exact length. An array that grows by `push` or spread reserves room for 16 more elements,
    // in every idle connection.
    this.#frameTimes = this.#frameTimes.filter(time => time > now - frameWindowMs).concat(now)
    if (this.#frameTimes.length <= framesPerWindow) return true
    this.close(CloseCode.rateLimited, 'more than 120 frames in 60 s')
    return false
  }
}
