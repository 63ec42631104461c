import { randomBytes } from 'node:crypto'
import { CloseCode } from '@gatehouse/protocol/gateway'
import { maxConnections, resumeSeconds } from '@gatehouse/protocol/limits'
import type { Clock, Timers } from '../../kit/clock.ts'
import type { Identity } from '../connection/gateway-authentication.ts'
import { Timeouts } from '../connection/timeouts.ts'
import type { ProtocolError, Translation } from '../wire-format.ts'
import { GatewaySession, type SessionConnection } from './gateway-session.ts'
import { SessionTranslation } from './session-translation.ts'

interface Deps {
  /** The format of a session that is not ours. */
  findTranslation: (format: string) => Translation | undefined
  onError: (error: unknown) => void
  clock: Clock
  timers: Timers
  onConnectedCountChange: (kind: Identity['kind'], change: 1 | -1) => void
  /** Interactions reach the session. */
  onBotConnect: (session: GatewaySession) => void
  onBotDisconnect: (session: GatewaySession) => void
  onCreate: (session: GatewaySession) => void
  onEnd: (session: GatewaySession) => void
}

/** The gateway sessions of this node, with and without a connection. */
export class SessionRegistry {
  readonly #deps: Deps
  readonly #byId = new Map<string, GatewaySession>()
  /** Sessions without a connection by user id, the oldest first. */
  readonly #disconnected = new Map<string, Set<GatewaySession>>()
  readonly #resumeTimeouts: Timeouts<GatewaySession>
  /** One function for all sessions, which saves a closure per session. */
  readonly #onOverflow = (session: GatewaySession) =>
    this.end(session, CloseCode.unknown, 'too many unsent events')

  constructor(deps: Deps) {
    this.#deps = deps
    const { clock, timers } = deps
    const durationMs = resumeSeconds * 1000
    this.#resumeTimeouts = new Timeouts({
      clock,
      timers,
      durationMs,
      onTimeout: session => this.end(session),
    })
  }

  create(identity: Identity): GatewaySession {
    const id = randomBytes(18).toString('base64url')
    const session = this.prepare(id, identity)
    session.translation?.pause()
    this.add(session)
    return session
  }

  /** A session that this node may take from another one. Until `add`, no resume finds it. */
  prepare(id: string, identity: Identity): GatewaySession {
    const session = new GatewaySession(id, identity, this.#onOverflow)
    const { format } = identity.options ?? {}
    if (format === undefined) return session
    const translation = this.#deps.findTranslation(format)
    if (translation === undefined) throw new Error(`the gateway has no format ${format}`)
    const end = (ended: GatewaySession, error: ProtocolError) => this.end(ended, ...error)
    session.translation = new SessionTranslation(session, translation, { end, onError: this.#deps.onError })
    return session
  }

  add(session: GatewaySession): void {
    this.#byId.set(session.id, session)
    this.#deps.onCreate(session)
  }

  get connected(): GatewaySession[] {
    return [...this.#byId.values()].filter(({ connection }) => connection !== undefined)
  }

  of(kind: Identity['kind']): GatewaySession[] {
    return [...this.#byId.values()].filter(({ identity }) => identity.kind === kind)
  }

  /** Returns undefined also for a session of another credential. */
  find(id: unknown, identity: Pick<Identity, 'kind' | 'credentialId'>): GatewaySession | undefined {
    const session = typeof id === 'string' ? this.#byId.get(id) : undefined
    const { kind, credentialId } = session?.identity ?? {}
    return kind === identity.kind && credentialId === identity.credentialId ? session : undefined
  }

  /** Closes the previous connection of the session, if it has one (gateway/protocol-errors). */
  async connect(session: GatewaySession, connection: SessionConnection): Promise<void> {
    const { connection: previous } = session
    if (previous !== undefined) {
      // Unset during the close, so that `disconnect` ignores the previous connection.
      session.connection = undefined
      previous.close(CloseCode.unknown, 'resumed by another connection')
      session.connection = connection
      return
    }
    session.connection = connection
    this.#removeDisconnected(session)
    this.#deps.onConnectedCountChange(session.identity.kind, 1)
    await session.subscriptions?.onConnect(session)
    if (session.identity.kind === 'bot' && session.connection === connection) this.#deps.onBotConnect(session)
  }

  /** Keeps the session for a resume. Does nothing if it has another connection. */
  disconnect(session: GatewaySession, connection: SessionConnection): void {
    if (session.connection !== connection) return
    session.disconnect()
    this.#deps.onConnectedCountChange(session.identity.kind, -1)
    session.subscriptions?.onDisconnect(session)
    if (session.identity.kind === 'bot') this.#deps.onBotDisconnect(session)
    if (!session.ended) this.#addDisconnected(session)
  }

  /**
   * Before the session moves to another node: no other resume finds it, and its connection is closed. The session
   * still receives events. The interactions that its bot has not responded to remain with this session.
   */
  release(session: GatewaySession): void {
    const { connection, identity, subscriptions } = session
    this.#byId.delete(session.id)
    this.#removeDisconnected(session)
    if (connection === undefined) return
    session.disconnect()
    connection.close(CloseCode.unknown, 'resumed by another connection')
    this.#deps.onConnectedCountChange(identity.kind, -1)
    subscriptions?.onDisconnect(session)
  }

  /** If the session does not move, another session receives its interactions. */
  endReleased(session: GatewaySession, hasMoved: boolean): void {
    this.end(session)
    if (!hasMoved && session.identity.kind === 'bot') this.#deps.onBotDisconnect(session)
  }

  /** Ends a session that could not be taken. Its connection stays open, so that the client can identify on it. */
  abandon(session: GatewaySession, connection: SessionConnection): void {
    const hadEnded = session.ended
    session.endedWith ??= [CloseCode.unknown, '']
    // Not kept for a resume, because it has ended.
    this.disconnect(session, connection)
    if (!hadEnded) this.#deps.onEnd(session)
  }

  /** Closes the connection of the session, if it has one. The session cannot be resumed. */
  end(session: GatewaySession, code: number = CloseCode.unknown, reason = ''): void {
    if (session.ended) return
    session.endedWith = [code, reason]
    // A released session, and one that is not added, may have a successor with the same id.
    if (this.#byId.get(session.id) === session) this.#byId.delete(session.id)
    this.#removeDisconnected(session)
    session.connection?.close(code, reason)
    this.#deps.onEnd(session)
  }

  endAll(): void {
    for (const session of this.#byId.values()) this.end(session, CloseCode.serviceRestart, 'reconnect')
    this.#resumeTimeouts.clear()
  }

  #addDisconnected(session: GatewaySession): void {
    const { userId } = session.identity
    const sessions = this.#disconnected.get(userId) ?? new Set()
    this.#disconnected.set(userId, sessions.add(session))
    this.#resumeTimeouts.set(session)
    const [oldest] = sessions
    // (gateway/connection-limit)
    if (sessions.size > maxConnections && oldest !== undefined) this.end(oldest)
  }

  #removeDisconnected(session: GatewaySession): void {
    const { userId } = session.identity
    this.#resumeTimeouts.delete(session)
    const sessions = this.#disconnected.get(userId)
    if (sessions?.delete(session) && sessions.size === 0) this.#disconnected.delete(userId)
  }
}
