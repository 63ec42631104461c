import { randomBytes } from 'node:crypto'
import { CloseCode } from '@gatehouse/protocol/gateway'
import { resumeSeconds } from '@gatehouse/protocol/limits'
import type { Clock, Timers } from '../kit/clock.ts'
import { Deadlines } from './deadlines.ts'
import type { Identity } from './identity.ts'
import { type Line, Session } from './session.ts'

interface SessionsDeps {
  clock: Clock
  timers: Timers
  /** For the metrics: a session got a socket, or lost it. */
  count: (kind: Identity['kind'], change: 1 | -1) => void
  /** A bot's session lost its socket. */
  botDisconnected: (session: Session) => void
  began: (session: Session) => void
  /** What it took part in can be let go. */
  ended: (session: Session) => void
}

/** Above it, one credential's oldest session without a socket is let go: their number is for clients to choose. */
const maxWaiting = 64

/** The sessions of this node, with and without a socket. */
export class Sessions {
  readonly #deps: SessionsDeps
  readonly #byId = new Map<string, Session>()
  /** Without a socket, by credential, the oldest first. */
  readonly #waiting = new Map<string, Set<Session>>()
  readonly #expiry: Deadlines<Session>
  /** One for all of them. */
  readonly #outrun = (session: Session) => this.end(session, CloseCode.unknown, 'too far behind')

  constructor(deps: SessionsDeps) {
    this.#deps = deps
    const { clock, timers } = deps
    const afterMs = resumeSeconds * 1000
    this.#expiry = new Deadlines({ clock, timers, afterMs, expire: session => this.end(session) })
  }

  create(identity: Identity): Session {
    const id = randomBytes(18).toString('base64url')
    const session = new Session(id, identity, this.#outrun)
    this.#byId.set(id, session)
    this.#deps.began(session)
    return session
  }

  /** Undefined where there is none with this id, or where it is somebody else's. */
  find(id: unknown, identity: Identity): Session | undefined {
    const session = typeof id === 'string' ? this.#byId.get(id) : undefined
    const { kind, credential } = session?.identity ?? {}
    return kind === identity.kind && credential === identity.credential ? session : undefined
  }

  /** The session has a socket from now on. A socket that it had is closed (D62). */
  attach(session: Session, line: Line): Promise<void> {
    const { line: before } = session
    if (before !== undefined) {
      session.line = undefined
      before.close(CloseCode.unknown, 'resumed elsewhere')
      session.line = line
      return Promise.resolve()
    }
    session.line = line
    this.#stopWaiting(session)
    this.#deps.count(session.identity.kind, 1)
    return session.home?.connected(session) ?? Promise.resolve()
  }

  /** The socket is gone: the session waits for another, unless it has one by now. */
  detach(session: Session, line: Line): void {
    if (session.line !== line) return
    session.detach()
    this.#deps.count(session.identity.kind, -1)
    session.home?.disconnected(session)
    if (session.identity.kind === 'bot') this.#deps.botDisconnected(session)
    if (!session.ended) this.#wait(session)
  }

  /** It cannot be resumed any more; its socket is closed with the code, where one is given. */
  end(session: Session, code: number = CloseCode.unknown, reason = ''): void {
    if (session.ended) return
    session.ended = true
    this.#byId.delete(session.id)
    this.#stopWaiting(session)
    session.line?.close(code, reason)
    this.#deps.ended(session)
  }

  endAll(): void {
    for (const session of this.#byId.values()) this.end(session, CloseCode.serviceRestart, 'reconnect')
    this.#expiry.clear()
  }

  #wait(session: Session): void {
    const { credential } = session.identity
    const waiting = this.#waiting.get(credential) ?? new Set()
    this.#waiting.set(credential, waiting.add(session))
    this.#expiry.set(session)
    const [oldest] = waiting
    if (waiting.size > maxWaiting && oldest !== undefined) this.end(oldest)
  }

  #stopWaiting(session: Session): void {
    const { credential } = session.identity
    this.#expiry.delete(session)
    const waiting = this.#waiting.get(credential)
    if (waiting?.delete(session) && waiting.size === 0) this.#waiting.delete(credential)
  }
}
