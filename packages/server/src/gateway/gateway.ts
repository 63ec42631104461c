// The WebSocket of users and bots (docs/spec/gateway.md).
//
//   socket.ts                 accepts the upgrade; the only file that imports `ws`
//   connection.ts             one WebSocket: reads its frames, enforces the rules of the protocol
//   frames.ts                 parses frames of clients, and has the constant frames
//   frame-compression.ts      compresses frames of another API
//   identify.ts               identify and resume: connects a WebSocket to a gateway session
//   gateway-authentication.ts cookie or bot token → user or bot
//   bot-options.ts            reads the intents that a bot chooses
//   ready.ts                  payload of READY
//   wire-format.ts            the frames of our own, and the port for those of another API, such as Discord's
//   session-translation.ts    translates the events of a session into those of another API, in their order
//   task-queue.ts             runs tasks one after the other
//   hand-over.ts              moves a session to the node on which its client resumes
//   session-registry.ts       the gateway sessions of this node, connected or waiting for a resume
//   gateway-session.ts        sequence numbers and replay buffer of one session; groups of sessions
//   session-subscriptions.ts  opens what a session subscribes to, shared and reference-counted:
//     credential-watch.ts       ends the session when its cookie or token is revoked
//     user-subscriptions.ts     a user: their servers and direct messages
//     server-subscription.ts    a server: sends each event to the subscribers who may view its channel
//     visibility-groups.ts      subscribers grouped by the channels that they may view
//     bot-subscriptions.ts      a bot: the events of its intents, and interactions, each for one session
//     ref-counted.ts            one subscription for all sessions that need it
//     bot-events.ts             which intent an event needs, and messages without their content
//   connection-counts.ts      the limits of connections: of a user or bot, and from an IP address
//   bot-gateway-routes.ts     `GET /api/gateway/bot`
//   timeouts.ts               many timeouts of the same duration, with one timer
//   expirations.ts            many times of expiry, with one timer
//   encoded-event.ts          an event and its frame, encoded once for all sessions
//
// How an event reaches a client: a feature commits and publishes it (events/gateway-events.ts) → bus →
// ServerSubscription, which first reads the permissions again if the event may change them → UserSubscriptions of each
// user who may view the channel → each GatewaySession of the user → Connection → WebSocket. Events of a user or a
// direct message enter at UserSubscriptions. An interaction is a request on the bus, to which BotSubscriptions of one
// node responds (bots/interaction-delivery).

import { CloseCode, gatewayPath } from '@gatehouse/protocol/gateway'
import {
  heartbeatIntervalMs,
  identifyTimeoutMs,
  missedHeartbeats,
  resumeSeconds,
} from '@gatehouse/protocol/limits'
import { type GatewaySessionDisconnected, subjects } from '../events/gateway-events.ts'
import { QueuedBytes } from '../http/queued-bytes.ts'
import { inSlices } from '../kit/batches.ts'
import { delay } from '../kit/clock.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import { Connection, type FrameSocket } from './connection/connection.ts'
import { ConnectionCounts } from './connection/connection-counts.ts'
import type { Authentication, Handshake, Identity } from './connection/gateway-authentication.ts'
import { createIdentifyHandlers } from './connection/identify.ts'
import { Timeouts } from './connection/timeouts.ts'
import type { Deps } from './gateway-deps.ts'
import { Expirations } from './sessions/expirations.ts'
import type { GatewaySession } from './sessions/gateway-session.ts'
import { createHandOvers, type HandOverRequest } from './sessions/hand-over.ts'
import { SessionRegistry } from './sessions/session-registry.ts'
import type { ForwardedDispatch } from './subscriptions/bot-subscriptions.ts'
import { createSessionSubscriptions } from './subscriptions/session-subscriptions.ts'
import { nativeFormat, type WireFormat } from './wire-format.ts'

export interface GatewayDeps extends Deps, Omit<Authentication, 'origin'> {
  baseUrl: string
  rateLimiter: Pick<RateLimiter, 'window'>
  /** The formats besides our own. */
  otherFormats?: readonly WireFormat[]
  /** The number of gateway sessions with a connection changed. */
  onConnectedCountChange: (kind: Identity['kind'], change: 1 | -1) => void
}

export type Gateway = ReturnType<typeof createGateway>

/** Delay before the expiry of a sign-in session is read again after a database error. */
const expiryRetryMs = 1000

/** `endRevoked` reads this many at a time: two milliseconds on SQLite. */
const sessionsPerRead = 200

/** Added to the heartbeat timeout for network latency and clocks that differ. */
const heartbeatGraceMs = 1000

/** How long a node that stops keeps the sessions of its clients, so that they can resume on another node. */
const handOverMs = 4000
const handOverPollMs = 50

export function createGateway(deps: GatewayDeps) {
  const { db, bus, clock, timers, baseUrl, otherFormats = [], onError } = deps
  const url = new URL(gatewayPath, baseUrl.replace(/^http/, 'ws')).href
  const formats = [nativeFormat, ...otherFormats]
  const connections = new Set<Connection>()
  const counts = new ConnectionCounts()
  const queuedBytes = new QueuedBytes()
  const heartbeatTimeoutMs = missedHeartbeats * heartbeatIntervalMs + heartbeatGraceMs
  const onTimeout = (connection: Connection) => connection.close(CloseCode.timedOut, 'timed out')

  const expirations = new Expirations<GatewaySession>({
    clock,
    timers,
    onExpire: session => void checkExpiry(session),
  })
  const registry = new SessionRegistry({
    clock,
    timers,
    onError,
    findTranslation: name => otherFormats.find(({ translation }) => translation?.name === name)?.translation,
    onConnectedCountChange: deps.onConnectedCountChange,
    // The `credentialId` of a bot is the id of its application.
    onBotConnect: ({ identity }) => bus.publish(subjects.gatewaySessionConnected(identity.credentialId), {}),
    onBotDisconnect({ id, identity }) {
      const disconnected: GatewaySessionDisconnected = { sessionId: id }
      bus.publish(subjects.gatewaySessionDisconnected(identity.credentialId), disconnected)
    },
    onCreate(session) {
      const { expiresAt } = session.identity
      if (expiresAt !== undefined) expirations.set(session, expiresAt)
    },
    onEnd(session) {
      expirations.delete(session)
      session.translation?.close()
      sessionSubscriptions.unsubscribe(session)
    },
  })
  const sessionSubscriptions = createSessionSubscriptions({
    ...deps,
    endSession: (session, code, reason) => registry.end(session, code, reason),
  })
  const handOvers = createHandOvers({ ...deps, registry })
  // Only nodes of this service send requests.
  deps.nodes.onRequest(async message => {
    const request = message as HandOverRequest | ForwardedDispatch
    return request.t === 'dispatch-interaction'
      ? sessionSubscriptions.dispatch(request)
      : handOvers.respond(request)
  })
  const { origin } = new URL(baseUrl)
  const identifyHandlers = createIdentifyHandlers({
    ...deps,
    origin,
    registry,
    sessionSubscriptions,
    handOvers,
    counts,
    identifies: deps.rateLimiter.window('identifies'),
    resumes: deps.rateLimiter.window('resumes'),
    url,
  })

  /** A sign-in session that was used in the meantime expires later. */
  async function checkExpiry(session: GatewaySession): Promise<void> {
    try {
      const signInSession = await deps.signInSessions.findSession(db, session.identity.credentialId)
      if (session.ended) return
      if (signInSession !== undefined) expirations.set(session, signInSession.expiresAt)
      else registry.end(session, CloseCode.badToken, 'session expired')
    } catch (error) {
      onError(error)
      if (!session.ended) expirations.set(session, clock() + expiryRetryMs)
    }
  }

  async function endRevoked(): Promise<void> {
    await endRevokedOf('user', deps.signInSessions.listExistingIds)
    await endRevokedOf('bot', deps.listValidBots)
  }

  async function endRevokedOf(
    kind: Identity['kind'],
    listValid: (credentialIds: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<void> {
    const sessions = registry.of(kind)
    if (sessions.length === 0) return
    await inSlices(sessions, sessionsPerRead, async slice => {
      const valid = await listValid(slice.map(({ identity }) => identity.credentialId))
      for (const session of slice) {
        if (!valid.has(session.identity.credentialId)) {
          registry.end(session, CloseCode.badToken, kind === 'user' ? 'signed_out' : 'disabled')
        }
      }
    })
  }

  const connectionDeps = {
    clock,
    identifyHandlers,
    identifyTimeouts: new Timeouts({ clock, timers, durationMs: identifyTimeoutMs, onTimeout }),
    heartbeatTimeouts: new Timeouts({ clock, timers, durationMs: heartbeatTimeoutMs, onTimeout }),
    // A client can resume at most `resumeSeconds` after its connection was closed, which happens at most
    // `heartbeatTimeoutMs` after its last heartbeat. So older events are not needed.
    onHeartbeat: (session: GatewaySession) =>
      session.discardBefore(clock() - heartbeatTimeoutMs - resumeSeconds * 1000),
    onSessionDisconnect: (session: GatewaySession, connection: Connection) =>
      registry.disconnect(session, connection),
    queuedBytes,
    onIdentify(handshake: Handshake, session: GatewaySession) {
      counts.removeUnidentified(handshake.ip)
      counts.addOfUser(session.identity.userId)
    },
    onClose(connection: Connection, handshake: Handshake | undefined, session: GatewaySession | undefined) {
      connections.delete(connection)
      if (session !== undefined) counts.removeOfUser(session.identity.userId)
      else if (handshake !== undefined) counts.removeUnidentified(handshake.ip)
    },
  }

  function closeConnections(): void {
    for (const connection of [...connections]) {
      connection.sendConstant('reconnect')
      connection.close(CloseCode.serviceRestart, 'reconnect')
    }
  }

  function endAllSessions(): void {
    closeConnections()
    registry.endAll()
    expirations.clear()
  }

  return {
    /** The `ws:` or `wss:` URL of the WebSocket. */
    url,
    /** The budget of queued bytes, for responses to HTTP requests too. */
    queuedBytes,
    /** False if too many connections of the IP address have not identified (gateway/unidentified-limit). */
    admits: (handshake: Handshake): boolean => counts.admitsUnidentified(handshake.ip),
    /** The format of the WebSocket at this path. */
    findFormat: (path: string): WireFormat | undefined => formats.find(({ paths }) => paths.includes(path)),
    /** Sends HELLO to a new WebSocket. */
    accept(socket: FrameSocket, handshake: Handshake, format: WireFormat): Connection {
      counts.addUnidentified(handshake.ip)
      const connection = new Connection(socket, handshake, format, connectionDeps)
      connections.add(connection)
      return connection
    },
    /**
     * Ends the sessions of users whose sign-in session was revoked without a message on the bus: by a command, which
     * without NATS has a bus of its own, or by a node that ended after its commit. Bot tokens are not checked, because
     * no command resets one.
     */
    endRevoked,
    /**
     * Tells every client to reconnect and ends all sessions, so that none can be resumed. Called when the bus
     * reconnects: events and revocations during the outage were lost.
     */
    endAllSessions,
    /**
     * Tells every client to reconnect. Resolves when the clients have resumed their sessions on other nodes, or after
     * `handOverMs`.
     */
    async close(): Promise<void> {
      if (deps.nodes.others().length > 0) {
        const sessions = registry.connected
        await Promise.allSettled(sessions.map(session => session.subscriptions?.onWait(session)))
        closeConnections()
        const hasEnded = () => sessions.every(({ ended }) => ended) && !handOvers.isBusy
        for (let ms = 0; ms < handOverMs && !hasEnded(); ms += handOverPollMs) {
          await delay(timers, handOverPollMs)
        }
      }
      endAllSessions()
      handOvers.close()
    },
  }
}
