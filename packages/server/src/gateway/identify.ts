import { CloseCode } from '@gatehouse/protocol/gateway'
import { maxConnections, maxReadStates } from '@gatehouse/protocol/limits'
import type { RateWindow } from '../rate-limits/rate-limiter.ts'
import { type Authentication, authenticate, type Handshake, type Identity } from './authenticate.ts'
import type { Connection, IdentifyHandlers } from './connection.ts'
import type { ConnectionCounts } from './connection-counts.ts'
import { publishSuperseded } from './credential-watch.ts'
import type { Deps } from './deps.ts'
import { EncodedEvent } from './encoded-event.ts'
import { isSequence } from './frames.ts'
import type { GatewaySession } from './gateway-session.ts'
import { readReady } from './ready.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { SessionSubscriptions } from './session-subscriptions.ts'

interface IdentifyDeps extends Deps, Authentication {
  registry: SessionRegistry
  subscriptions: SessionSubscriptions
  counts: Pick<ConnectionCounts, 'admitsUser'>
  identifies: Pick<RateWindow, 'rate' | 'hit' | 'undo'>
  /** The URL of the WebSocket. */
  url: string
}

export function createIdentifyHandlers(deps: IdentifyDeps): IdentifyHandlers {
  const { db, bus, clock, registry, subscriptions, counts, identifies, onError } = deps

  async function startSession(
    connection: Connection,
    handshake: Handshake,
    session: GatewaySession,
    token: unknown,
  ): Promise<void> {
    await subscriptions.watchCredential(session)
    // The credential may have been revoked before the subscription to its revocation.
    const identity = await authenticate(deps, handshake, token)
    if (identity === undefined) return registry.end(session, CloseCode.badToken, 'credential revoked')
    await subscriptions.subscribe(session)
    if (session.ended || connection.closed) return
    await registry.connect(session, connection)
    const ready = await readReady(db, session, deps.url)
    if (session.ended || connection.closed) return
    if (ready === undefined) return registry.end(session, CloseCode.badToken, 'account deleted')
    await countChannels(session)
    if (session.ended || connection.closed) return
    session.start(connection, new EncodedEvent({ t: 'READY', d: ready }, clock()))
  }

  /** READY of many channels takes long, so it counts several times (gateway/identify-rate). */
  async function countChannels({ identity, subscriptions }: GatewaySession): Promise<void> {
    const count = subscriptions?.visibleChannelIds().length ?? 0
    for (let n = maxReadStates; n < count; n += maxReadStates) await identifies.hit(identity.userId)
  }

  async function resumeSession(
    connection: Connection,
    identity: Identity,
    sessionId: unknown,
    seq: unknown,
  ): Promise<void> {
    if (!isSequence(seq)) return connection.close(CloseCode.badSeq, 'seq must be a sequence number')
    const session = registry.find(sessionId, identity)
    if (session === undefined) {
      if (typeof sessionId === 'string') publishSuperseded(bus, identity.credentialId, sessionId)
      return rejectResume(connection, identity)
    }
    if (seq > session.seq) return connection.close(CloseCode.badSeq, 'seq was not sent yet')
    if (session.subscriptions === undefined || !session.canResume(seq)) {
      registry.end(session)
      return rejectResume(connection, identity)
    }
    // The previous connection of the session is closed.
    const replaces = session.connection !== undefined
    if (!replaces && !counts.admitsUser(identity.userId)) return closeBeyondLimit(connection)
    connection.setSession(session)
    const connected = registry.connect(session, connection)
    session.resume(connection, seq, clock())
    await connected
  }

  /** Returns false if the connection was closed (gateway/identify-rate). */
  async function countIdentify(connection: Connection, { userId }: Identity): Promise<boolean> {
    const { allowed, retryAfterMs } = await identifies.hit(userId)
    if (allowed) return !connection.closed
    const { count, seconds } = identifies.rate
    const retryAfter = Math.ceil(retryAfterMs / 1000)
    connection.close(
      CloseCode.rateLimited,
      `at most ${count} identifies in ${seconds} s, retry after ${retryAfter} s`,
    )
    return false
  }

  /** The identify that follows counts instead. */
  async function rejectResume(connection: Connection, { userId }: Identity): Promise<void> {
    await identifies.undo(userId)
    connection.rejectResume()
  }

  function closeOnError(connection: Connection, error: unknown): void {
    onError(error)
    connection.close(CloseCode.unknown, 'internal error, try again later')
  }

  /** (gateway/connection-limit) */
  function closeBeyondLimit(connection: Connection): void {
    connection.close(CloseCode.tooManyConnections, `at most ${maxConnections} connections of a user or bot`)
  }

  return {
    async identify(connection, handshake, token) {
      let session: GatewaySession | undefined
      try {
        const identity = await authenticate(deps, handshake, token)
        if (identity === undefined) return connection.close(CloseCode.badToken, 'invalid credentials')
        if (connection.closed || !(await countIdentify(connection, identity))) return
        if (!counts.admitsUser(identity.userId)) return closeBeyondLimit(connection)
        session = registry.create(identity)
        connection.setSession(session)
        await startSession(connection, handshake, session, token)
      } catch (error) {
        closeOnError(connection, error)
      }
      // A client that has not received READY does not know the id of the session and cannot resume it.
      if (session !== undefined && connection.closed && !session.started) registry.end(session)
    },

    async resume(connection, handshake, { token, sessionId, seq }) {
      try {
        const identity = await authenticate(deps, handshake, token)
        if (identity === undefined) return connection.close(CloseCode.badToken, 'invalid credentials')
        if (connection.closed || !(await countIdentify(connection, identity))) return
        await resumeSession(connection, identity, sessionId, seq)
      } catch (error) {
        closeOnError(connection, error)
      }
    },
  }
}
