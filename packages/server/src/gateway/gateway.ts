import { CloseCode, gatewayPath } from '@gatehouse/protocol/gateway'
import {
  heartbeatIntervalMs,
  identifyTimeoutMs,
  missedHeartbeats,
  resumeSeconds,
} from '@gatehouse/protocol/limits'
import type { Bus } from '../bus/bus.ts'
import type { Clock, Timers } from '../kit/clock.ts'
import { type SessionClosed, subjects } from '../platform/events.ts'
import type { Database } from '../storage/database.ts'
import { Bot } from './bot.ts'
import { Connection, type Peer } from './connection.ts'
import { Control } from './control.ts'
import { Deadlines } from './deadlines.ts'
import { createEntrance } from './entrance.ts'
import { Expiries } from './expiries.ts'
import { frames } from './frames.ts'
import { createHomes } from './homes.ts'
import type { Credentials, Identity, Visitor } from './identity.ts'
import { Room } from './room.ts'
import type { Session } from './session.ts'
import { Sessions } from './sessions.ts'
import { Shared } from './shared.ts'
import { Viewer } from './viewer.ts'

export interface GatewayDeps extends Omit<Credentials, 'origin'> {
  db: Database
  bus: Pick<Bus, 'subscribe' | 'respond' | 'publish'>
  clock: Clock
  timers: Timers
  baseUrl: string
  /** When a browser session expires, by its id, in milliseconds; undefined where it has. */
  sessionExpiresAt: (sessionId: string) => Promise<number | undefined>
  /** A session got a socket, or lost it. */
  gatewaySessions: (kind: Identity['kind'], change: 1 | -1) => void
  report: (error: unknown) => void
}

export interface Gateway {
  /** The address of the WebSocket. */
  readonly url: string
  /** A socket has been opened; says hello. */
  accept(peer: Peer, visitor: Visitor): Connection
  /**
   * Tells every socket to reconnect and closes it; no session can be resumed here. At the end, and when the bus had lost
   * its connection: what was published meanwhile, also the end of a credential, has not been heard.
   */
  dismiss(): void
}

/** Where the database could not say whether a session has expired. */
const lookAgainMs = 1000

/** Beyond two intervals, for the way of the frame and for clocks that differ. */
const heartbeatGraceMs = 1000

export function createGateway(deps: GatewayDeps): Gateway {
  const { db, bus, clock, timers, baseUrl, report } = deps
  const url = new URL(gatewayPath, baseUrl.replace(/^http/, 'ws')).href
  const connections = new Set<Connection>()
  const silentMs = missedHeartbeats * heartbeatIntervalMs + heartbeatGraceMs
  const timedOut = (connection: Connection) => connection.close(CloseCode.timedOut, 'timed out')
  const identifyDeadlines = new Deadlines({ clock, timers, afterMs: identifyTimeoutMs, expire: timedOut })
  const heartbeatDeadlines = new Deadlines({ clock, timers, afterMs: silentMs, expire: timedOut })

  const expiries = new Expiries<Session>({ clock, timers, due: session => void lookAgain(session) })
  const sessions = new Sessions({
    clock,
    timers,
    count: deps.gatewaySessions,
    botDisconnected({ id, identity }) {
      const closed: SessionClosed = { sessionId: id }
      bus.publish(subjects.sessionClosed(identity.credential), closed)
    },
    began(session) {
      const { expiresAt } = session.identity
      if (expiresAt !== undefined) expiries.set(session, expiresAt)
    },
    ended(session) {
      expiries.delete(session)
      homes.leave(session)
    },
  })
  const controls = new Shared((credential: string, _: undefined) =>
    Control.open(credential, { bus, end: (session, code, reason) => sessions.end(session, code, reason) }),
  )
  const rooms = new Shared((serverId: string, _: undefined) =>
    Room.open(serverId, { db, bus, clock, timers, report }),
  )
  const viewers = new Shared((userId: string, _: undefined) =>
    Viewer.open(userId, { db, bus, clock, rooms, report, giveUp: session => sessions.end(session) }),
  )
  const bots = new Shared((applicationId: string, userId: string) =>
    Bot.open(applicationId, userId, { bus, clock }),
  )
  const homes = createHomes({ controls, viewers, bots })
  const entry = createEntrance({
    db,
    bus,
    clock,
    credentials: {
      origin: new URL(baseUrl).origin,
      authenticateSession: deps.authenticateSession,
      identifyBot: deps.identifyBot,
    },
    sessions,
    homes,
    url,
    report,
  })

  /** A browser session that was used meanwhile has more time; one that was not has ended, and ends what it opened. */
  async function lookAgain(session: Session): Promise<void> {
    try {
      const expiresAt = await deps.sessionExpiresAt(session.identity.credential)
      if (session.ended) return
      if (expiresAt !== undefined) expiries.set(session, expiresAt)
      else sessions.end(session, CloseCode.badToken, 'the session expired')
    } catch (error) {
      report(error)
      if (!session.ended) expiries.set(session, clock() + lookAgainMs)
    }
  }

  const connectionDeps = {
    clock,
    entry,
    identifyDeadlines,
    heartbeatDeadlines,
    // What is older than a socket can be silent and its session then wait, nobody resumes from.
    alive: (session: { forget(time: number): void }) =>
      session.forget(clock() - silentMs - resumeSeconds * 1000),
    lost: sessions.detach.bind(sessions),
    closed: (connection: Connection) => connections.delete(connection),
  }

  return {
    url,
    accept(peer, visitor) {
      const connection = new Connection(peer, visitor, connectionDeps)
      connections.add(connection)
      return connection
    },
    dismiss() {
      for (const connection of [...connections]) {
        connection.transmit(frames.reconnect)
        connection.close(CloseCode.serviceRestart, 'reconnect')
      }
      sessions.endAll()
      expiries.clear()
    },
  }
}
