import { CloseCode } from '@gatehouse/protocol/gateway'
import { maxConnections, maxReadStates } from '@gatehouse/protocol/limits'
import type { RateWindow } from '../../rate-limits/rate-limiter.ts'
import { createUserQueue } from '../../rate-limits/user-queue.ts'
import type { Deps } from '../gateway-deps.ts'
import { EncodedEvent } from '../sessions/encoded-event.ts'
import type { GatewaySession } from '../sessions/gateway-session.ts'
import type { HandOvers } from '../sessions/hand-over.ts'
import type { SessionRegistry } from '../sessions/session-registry.ts'
import type { SessionSubscriptions } from '../subscriptions/session-subscriptions.ts'
import { internalError, isOfFormat, type ProtocolError } from '../wire-format.ts'
import { findDisallowedIntent, parseBotOptions } from './bot-options.ts'
import type { Connection, IdentifyHandlers } from './connection.ts'
import type { ConnectionCounts } from './connection-counts.ts'
import { isSequence, type ResumeData } from './frames.ts'
import {
  type Authentication,
  authenticate,
  describeInvalid,
  type Handshake,
  type Identity,
} from './gateway-authentication.ts'
import { readReady } from './ready.ts'

interface IdentifyDeps extends Deps, Authentication {
  registry: SessionRegistry
  sessionSubscriptions: SessionSubscriptions
  handOvers: Pick<HandOvers, 'find' | 'take'>
  counts: Pick<ConnectionCounts, 'admitsUser'>
  identifies: Pick<RateWindow, 'rate' | 'hit'>
  resumes: Pick<RateWindow, 'rate' | 'hit'>
  /** The URL of the WebSocket. */
  url: string
}

export function createIdentifyHandlers(deps: IdentifyDeps): IdentifyHandlers {
  const { db, clock, registry, sessionSubscriptions, handOvers, counts, onError } = deps
  /**
   * A user with many connections starts one session after the other, so that other users do not wait
   * (gateway/session-start).
   */
  const starts = createUserQueue(1)

  async function startSession(
    connection: Connection,
    handshake: Handshake,
    session: GatewaySession,
    token: unknown,
  ): Promise<void> {
    if (session.ended || connection.closed) return
    const error = await subscribe(session, handshake, token)
    if (error !== undefined) return registry.end(session, ...error)
    if (session.ended || connection.closed) return
    await registry.connect(session, connection)
    const ready = await readReady(db, session, deps.url)
    if (session.ended || connection.closed) return
    if (ready === undefined) return registry.end(session, CloseCode.badToken, 'account deleted')
    await countChannels(session)
    if (session.ended || connection.closed) return
    if (session.translation === undefined) {
      session.start(connection, new EncodedEvent({ t: 'READY', d: ready }, clock()))
    } else await session.translation.start(connection, ready)
  }

  /** Subscribes to the events of the session, or returns why its credential does not allow it. */
  async function subscribe(
    session: GatewaySession,
    handshake: Handshake,
    token: unknown,
  ): Promise<ProtocolError | undefined> {
    await sessionSubscriptions.watchCredential(session)
    // The credential may have been revoked before the subscription to its revocation.
    const authenticated = await authenticate(deps, handshake, token)
    if (authenticated === undefined) return [CloseCode.badToken, 'credential revoked']
    const error = findDisallowedIntent(session.identity.options, authenticated)
    if (error === undefined) await sessionSubscriptions.subscribe(session)
    return error
  }

  /** READY of many channels takes long, so it counts several times (gateway/identify-rate). */
  async function countChannels({ identity, subscriptions }: GatewaySession): Promise<void> {
    const count = subscriptions?.visibleChannelIds().length ?? 0
    for (let n = maxReadStates; n < count; n += maxReadStates) await deps.identifies.hit(identity.userId)
  }

  async function resumeSession(
    connection: Connection,
    handshake: Handshake,
    identity: Identity,
    { token, sessionId, seq }: ResumeData,
  ): Promise<void> {
    if (!isSequence(seq)) return connection.close(CloseCode.badSeq, 'seq must be a sequence number')
    const session = registry.find(sessionId, identity)
    if (session === undefined) {
      const found = await handOvers.find(sessionId, identity)
      if (connection.closed) return
      if (found === undefined || typeof sessionId !== 'string') return connection.rejectResume()
      const { node, options } = found
      const movedIdentity = options === undefined ? identity : { ...identity, options }
      if (!isOfFormat(movedIdentity, connection.format)) return connection.rejectResume()
      if (!counts.admitsUser(identity.userId)) return closeBeyondLimit(connection)
      const moved = registry.prepare(sessionId, movedIdentity)
      try {
        return await moveSession(connection, handshake, moved, { token, node, seq })
      } catch (error) {
        registry.abandon(moved, connection)
        throw error
      }
    }
    if (!isOfFormat(session.identity, connection.format)) return connection.rejectResume()
    if (seq > session.seq) return closeBadSeq(connection)
    if (session.subscriptions === undefined || !session.canResume(seq)) {
      registry.end(session)
      return connection.rejectResume()
    }
    // The previous connection of the session is closed.
    const replaces = session.connection !== undefined
    if (!replaces && !counts.admitsUser(identity.userId)) return closeBeyondLimit(connection)
    connection.setSession(session)
    const connected = registry.connect(session, connection)
    session.resume(connection, seq, clock())
    await connected
  }

  /** Takes the session from another node. First subscribes to its events, so that none is lost. */
  async function moveSession(
    connection: Connection,
    handshake: Handshake,
    session: GatewaySession,
    { token, node, seq }: { token: unknown; node: string; seq: number },
  ): Promise<void> {
    const { identity } = session
    const error = await subscribe(session, handshake, token)
    if (error !== undefined) {
      registry.abandon(session, connection)
      return connection.close(...error)
    }
    // Now the end of the session closes the connection.
    await registry.connect(session, connection)
    const canTake = !session.ended && !connection.closed
    const taken = canTake && (await handOvers.take(node, session, seq))
    if (taken !== true || session.ended || !session.canResume(seq)) {
      registry.abandon(session, connection)
      return taken === 'bad-seq' ? closeBadSeq(connection) : connection.rejectResume()
    }
    registry.add(session)
    const isAdmitted = counts.admitsUser(identity.userId)
    // The session waits for the next resume.
    if (connection.closed || !isAdmitted) registry.disconnect(session, connection)
    if (!isAdmitted) return closeBeyondLimit(connection)
    if (connection.closed) return
    connection.setSession(session)
    session.resume(connection, seq, clock())
  }

  /** Returns false if the connection was closed (gateway/identify-rate). */
  async function countAttempt(
    what: 'identifies' | 'resumes',
    connection: Connection,
    { userId }: Identity,
  ): Promise<boolean> {
    const { allowed, retryAfterMs } = await deps[what].hit(userId)
    if (allowed) return !connection.closed
    const { count, seconds } = deps[what].rate
    const retryAfter = Math.ceil(retryAfterMs / 1000)
    connection.close(
      CloseCode.rateLimited,
      `at most ${count} ${what} in ${seconds} s, retry after ${retryAfter} s`,
    )
    return false
  }

  function closeOnError(connection: Connection, error: unknown): void {
    onError(error)
    connection.close(...internalError)
  }

  function closeBadSeq(connection: Connection): void {
    connection.close(CloseCode.badSeq, 'seq was not sent yet')
  }

  /** (gateway/connection-limit) */
  function closeBeyondLimit(connection: Connection): void {
    connection.close(CloseCode.tooManyConnections, `at most ${maxConnections} connections of a user or bot`)
  }

  return {
    async identify(connection, handshake, { token, ...choice }) {
      let session: GatewaySession | undefined
      try {
        const authenticated = await authenticate(deps, handshake, token)
        if (authenticated === undefined) return connection.close(CloseCode.badToken, describeInvalid(token))
        const { identity } = authenticated
        if (connection.closed || !(await countAttempt('identifies', connection, identity))) return
        const { options, error = findDisallowedIntent(options, authenticated) } = parseBotOptions(
          choice,
          authenticated,
        )
        if (error !== undefined) return connection.close(...error)
        if (!counts.admitsUser(identity.userId)) return closeBeyondLimit(connection)
        const created = registry.create(options === undefined ? identity : { ...identity, options })
        session = created
        connection.setSession(created)
        await starts.run(identity.userId, () => startSession(connection, handshake, created, token))
      } catch (error) {
        closeOnError(connection, error)
      }
      if (session === undefined || session.started) return
      // A client that has not received READY does not know the id of the session and cannot resume it.
      if (connection.closed) registry.end(session)
      // The end of a session closes its connection only after `registry.connect`.
      else if (session.endedWith !== undefined) connection.close(...session.endedWith)
    },

    async resume(connection, handshake, resume) {
      try {
        const identity = (await authenticate(deps, handshake, resume.token))?.identity
        if (identity === undefined) return connection.close(CloseCode.badToken, describeInvalid(resume.token))
        if (connection.closed || !(await countAttempt('resumes', connection, identity))) return
        await resumeSession(connection, handshake, identity, resume)
      } catch (error) {
        closeOnError(connection, error)
      }
    },
  }
}
