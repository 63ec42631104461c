import { CloseCode } from '@gatehouse/protocol/gateway'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../kit/clock.ts'
import type { Database } from '../storage/database.ts'
import type { Connection, Entry } from './connection.ts'
import { supersede } from './control.ts'
import { isSequence } from './frames.ts'
import type { Homes } from './homes.ts'
import { type Credentials, type Identity, recognise, type Visitor } from './identity.ts'
import { Outgoing } from './outgoing.ts'
import { readyOf } from './ready.ts'
import type { Session } from './session.ts'
import type { Sessions } from './sessions.ts'

interface EntranceDeps {
  db: Database
  bus: Pick<Bus, 'publish'>
  clock: Clock
  credentials: Credentials
  sessions: Sessions
  homes: Homes
  /** The address of the WebSocket. */
  url: string
  report: (error: unknown) => void
}

/** Identify and resume: from a credential to a session. */
export function createEntrance(deps: EntranceDeps): Entry {
  const { db, clock, credentials, sessions, homes, report } = deps

  async function open(
    connection: Connection,
    visitor: Visitor,
    session: Session,
    token: unknown,
  ): Promise<void> {
    await homes.obey(session)
    // Between the first look and the subscription it may have ended unheard.
    const still = await recognise(credentials, visitor, token)
    if (still === undefined) return sessions.end(session, CloseCode.badToken, 'the credential ended')
    await homes.join(session)
    if (session.ended || connection.closed) return
    await sessions.attach(session, connection)
    const ready = await readyOf(db, session, deps.url)
    if (session.ended || connection.closed) return
    if (ready === undefined) return sessions.end(session, CloseCode.badToken, 'the account is gone')
    session.start(connection, new Outgoing({ t: 'READY', d: ready }, clock()))
  }

  function refuse(connection: Connection, error: unknown): void {
    report(error)
    connection.close(CloseCode.unknown, 'try again later')
  }

  return {
    async identify(connection, visitor, token) {
      let session: Session | undefined
      try {
        const identity = await recognise(credentials, visitor, token)
        if (identity === undefined) return connection.close(CloseCode.badToken, 'not a credential that holds')
        if (connection.closed) return
        session = sessions.create(identity)
        connection.enter(session)
        await open(connection, visitor, session, token)
      } catch (error) {
        refuse(connection, error)
      }
      // Nobody has heard of it yet: there is nothing to resume.
      if (session !== undefined && connection.closed && !session.started) sessions.end(session)
    },

    async resume(connection, visitor, { token, sessionId, seq }) {
      try {
        const identity = await recognise(credentials, visitor, token)
        if (identity === undefined) return connection.close(CloseCode.badToken, 'not a credential that holds')
        if (connection.closed) return
        await take(connection, identity, sessionId, seq)
      } catch (error) {
        refuse(connection, error)
      }
    },
  }

  async function take(connection: Connection, identity: Identity, id: unknown, seq: unknown): Promise<void> {
    if (!isSequence(seq)) return connection.close(CloseCode.badSeq, 'not a sequence number')
    const session = sessions.find(id, identity)
    if (session === undefined) {
      if (typeof id === 'string') supersede(deps.bus, identity.credential, id)
      return connection.refuseResume()
    }
    if (seq > session.seq) return connection.close(CloseCode.badSeq, 'not reached yet')
    if (session.home === undefined || !session.canResume(seq)) {
      sessions.end(session)
      return connection.refuseResume()
    }
    connection.enter(session)
    const connected = sessions.attach(session, connection)
    session.resume(connection, seq, clock())
    await connected
  }
}
