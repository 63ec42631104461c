import { sessionSeconds } from '@gatehouse/protocol/limits'
import type { SessionCaller } from '../../http/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { hashSecret, isWellFormedSecret, makeSecret, secretPrefixes } from '../../kit/secret.ts'
import type { Database, Sql, Transaction } from '../../storage/database.ts'
import type { Events } from '../events.ts'
import { browserCookie } from './cookie.ts'
import * as store from './store.ts'

/** From which browser a request comes, as the sessions page shows it. */
export interface Seen {
  ip: string
  userAgent: string
}

export type SessionRecord = store.StoredSession

const LIFE_MS = sessionSeconds * 1000
/** The last use is written down at most this often: a session is read with every request. */
const NOTED_EVERY_MS = 60 * 60 * 1000
const MAX_USER_AGENT = 512

interface SessionsDeps {
  db: Database
  clock: Clock
  ids: () => string
  events: Pick<Events, 'ended'>
  baseUrl: string
  /** `sessionCookieName(baseUrl)` of http/authenticate. */
  cookieName: string
  /** What else belongs to the end of a session, in the transaction that has deleted it. Not called where one expires. */
  onSessionEnded?: (tx: Transaction, sessionId: string) => Promise<void>
}

export interface Sessions {
  /**
   * For http/authenticate and the gateway: who the value of the cookie stands for, and until when, in milliseconds.
   * Counts as a use (D76).
   */
  authenticateSession(
    secret: string,
    seen: Seen,
  ): Promise<(SessionCaller & { expiresAt: number }) | undefined>
  /** A session for a person who has just proved who they are. The secret goes into the cookie and nowhere else. */
  startSession(
    tx: Transaction,
    session: Seen & { userId: string; amr: string[] },
  ): Promise<{ id: string; secret: string }>
  /** Undefined where it has ended or expired. Times in milliseconds. */
  findSession(sql: Sql, id: string): Promise<SessionRecord | undefined>
  /** The newest last. */
  listSessions(userId: string): Promise<SessionRecord[]>
  /** The person has proved again who they are: sets `authTime`. False where the session has ended meanwhile. */
  reauthenticated(tx: Transaction, sessionId: string, amr: string[]): Promise<boolean>
  /** The person has shown one factor more, right after the sign-in: the methods join its own, `authTime` stays. */
  addMethods(tx: Transaction, sessionId: string, methods: readonly string[]): Promise<void>
  /** Ends one session and its connections. False where there was none. */
  endSession(tx: Transaction, id: string): Promise<boolean>
  /** The same for a session of this person alone. */
  endOwnSession(tx: Transaction, id: string, userId: string): Promise<boolean>
  endSessions(tx: Transaction, userId: string, options?: { except?: string }): Promise<void>
  /** The value of `Set-Cookie`; null signs the browser out. */
  sessionCookie(secret: string | null): string
}

export function createSessions({
  db,
  clock,
  ids,
  events,
  baseUrl,
  cookieName,
  onSessionEnded = async () => undefined,
}: SessionsDeps): Sessions {
  async function announceEnd(tx: Transaction, id: string): Promise<void> {
    await onSessionEnded(tx, id)
    tx.afterCommit(() => events.ended(id, { reason: 'signed_out' }))
  }

  return {
    async authenticateSession(secret, seen) {
      if (!isWellFormedSecret(secretPrefixes.session, secret)) return undefined
      const session = await store.sessionBySecret(db, hashSecret(secret))
      const now = clock()
      if (!session || session.expiresAt <= now) return undefined
      let { expiresAt } = session
      if (now - session.lastUsedAt >= NOTED_EVERY_MS) {
        expiresAt = now + LIFE_MS
        await store.markUsed(db, session.id, { ...cut(seen), lastUsedAt: now, expiresAt })
      }
      return { kind: 'session', userId: session.userId, sessionId: session.id, expiresAt }
    },
    async startSession(tx, { userId, amr, ...seen }) {
      const now = clock()
      const id = ids()
      const secret = makeSecret(secretPrefixes.session)
      const times = { createdAt: now, lastUsedAt: now, expiresAt: now + LIFE_MS, authTime: now }
      await store.insertSession(tx, { id, userId, amr, ...cut(seen), ...times }, hashSecret(secret))
      return { id, secret }
    },
    async findSession(sql, id) {
      const session = await store.sessionById(sql, id)
      return session && session.expiresAt > clock() ? session : undefined
    },
    listSessions: userId => store.sessionsOfUser(db, userId, clock()),
    async reauthenticated(tx, sessionId, amr) {
      return (await store.markAuthenticated(tx, sessionId, clock(), amr)) > 0
    },
    async addMethods(tx, sessionId, methods) {
      const session = await store.sessionById(tx, sessionId)
      if (session) await store.setMethods(tx, sessionId, [...new Set([...session.amr, ...methods])])
    },
    async endSession(tx, id) {
      const ended = (await store.deleteSession(tx, id)) > 0
      if (ended) await announceEnd(tx, id)
      return ended
    },
    async endOwnSession(tx, id, userId) {
      const ended = (await store.deleteSessionOfUser(tx, id, userId)) > 0
      if (ended) await announceEnd(tx, id)
      return ended
    },
    async endSessions(tx, userId, { except = '' } = {}) {
      for (const id of await store.deleteSessionsOfUser(tx, userId, except)) await announceEnd(tx, id)
    },
    sessionCookie: secret => browserCookie(baseUrl, cookieName, secret),
  }
}

/** A header has no bound of its own, the column has; and a database takes neither U+0000 nor half a character. */
function cut({ ip, userAgent }: Seen): Seen {
  const clean = userAgent.slice(0, MAX_USER_AGENT).replaceAll('\u0000', '').toWellFormed()
  return { ip, userAgent: clean }
}

/** Deletes what has expired, `batch` rows at a time, so that nobody waits long behind it. Answers how many. */
export async function sweepSessions(db: Database, clock: Clock, batch: number): Promise<number> {
  let swept = 0
  for (;;) {
    const deleted = await store.deleteExpiredSessions(db, clock(), batch)
    swept += deleted
    if (deleted < batch) return swept
  }
}
