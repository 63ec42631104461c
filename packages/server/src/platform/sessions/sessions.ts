import { sessionSeconds } from '@gatehouse/protocol/limits'
import type { Locale } from '@gatehouse/protocol/locales'
import type { Session } from '@gatehouse/protocol/users'
import type { SessionCaller } from '../../http/caller.ts'
import { formatCookie } from '../../http/cookies.ts'
import { inBatches } from '../../kit/batches.ts'
import type { Clock } from '../../kit/clock.ts'
import { createSecret, hashSecret, isWellFormedSecret, secretPrefixes } from '../../kit/secret.ts'
import type { Database, Sql, Transaction } from '../../storage/database.ts'
import type { Deps } from '../deps.ts'
import * as store from './store.ts'

/** The client of a request: shown in the list of sessions. */
export interface RequestInfo {
  ip: string
  userAgent: string
  /** The language of the mails that the request causes. */
  locale?: Locale
}

export type { SessionRecord } from './store.ts'

const LIFETIME_MS = sessionSeconds * 1000
/** `last_used_at` is written at most this often, because every request reads a session. */
const LAST_USED_INTERVAL_MS = 60 * 60 * 1000
const MAX_USER_AGENT = 512

export type Sessions = ReturnType<typeof createSessions>

export function createSessions({
  db,
  clock,
  ids,
  events,
  domainEvents,
  baseUrl,
}: Deps & { baseUrl: string }) {
  async function publishRevoked(tx: Transaction, id: string): Promise<void> {
    await domainEvents.publish(tx, 'SessionEnded', { sessionId: id })
    tx.afterCommit(() => events.closeGatewayConnections(id, { reason: 'signed_out' }))
  }

  return {
    /**
     * Returns the caller and the time when the session expires, in milliseconds. Extends the session
     * (sign-in/session-lifetime).
     */
    async authenticateSession(
      secret: string,
      request: RequestInfo,
    ): Promise<(SessionCaller & { expiresAt: number }) | undefined> {
      if (!isWellFormedSecret(secretPrefixes.session, secret)) return undefined
      const session = await store.findSessionBySecret(db, hashSecret(secret))
      const now = clock()
      if (!session || session.expiresAt <= now) return undefined
      let { expiresAt } = session
      if (now - session.lastUsedAt >= LAST_USED_INTERVAL_MS) {
        expiresAt = now + LIFETIME_MS
        await store.updateLastUsed(db, session.id, { ...sanitize(request), lastUsedAt: now, expiresAt })
      }
      return { kind: 'session', userId: session.userId, sessionId: session.id, expiresAt }
    },

    /** The caller has authenticated the user. `secret` is for the cookie only; the database stores its hash. */
    async createSession(
      tx: Transaction,
      { userId, amr, ...request }: RequestInfo & { userId: string; amr: string[] },
    ): Promise<{ id: string; secret: string }> {
      const now = clock()
      const id = ids()
      const secret = createSecret(secretPrefixes.session)
      const times = { createdAt: now, lastUsedAt: now, expiresAt: now + LIFETIME_MS, authTime: now }
      await store.insertSession(tx, { id, userId, amr, ...sanitize(request), ...times }, hashSecret(secret))
      return { id, secret }
    },

    /** Undefined if the session was revoked or has expired. */
    async findSession(sql: Sql, id: string): Promise<store.SessionRecord | undefined> {
      const session = await store.findSession(sql, id)
      return session && session.expiresAt > clock() ? session : undefined
    },

    /** In the order of creation. */
    async listSessions(userId: string, currentSessionId: string): Promise<Session[]> {
      const sessions = await store.listSessions(db, userId, clock())
      return sessions.map(({ id, createdAt, lastUsedAt, userAgent, ip }) => ({
        id,
        createdAt: new Date(createdAt).toISOString(),
        lastUsedAt: new Date(lastUsedAt).toISOString(),
        userAgent: userAgent === '' ? null : userAgent,
        ip,
        current: id === currentSessionId,
      }))
    },

    /** The user has authenticated again. Returns false if the session was revoked. */
    updateAuthTime(tx: Transaction, sessionId: string, amr: string[]): Promise<boolean> {
      return store.updateAuthTime(tx, sessionId, { authTime: clock(), amr })
    },

    /** For a factor that the user adds right after signing in. Does not change the `authTime`. */
    async addAuthMethods(tx: Transaction, sessionId: string, methods: readonly string[]): Promise<void> {
      const session = await store.findSession(tx, sessionId)
      if (session) await store.updateAmr(tx, sessionId, [...new Set([...session.amr, ...methods])])
    },

    /** Returns false if the session does not exist. */
    async revokeSession(tx: Transaction, id: string): Promise<boolean> {
      const revoked = await store.deleteSession(tx, id)
      if (revoked) await publishRevoked(tx, id)
      return revoked
    },

    /** Returns false if `userId` has no such session. */
    async revokeOwnSession(tx: Transaction, id: string, userId: string): Promise<boolean> {
      const revoked = await store.deleteSessionOfUser(tx, id, userId)
      if (revoked) await publishRevoked(tx, id)
      return revoked
    },

    /** Revokes every session of the user except `except`. */
    async revokeSessions(
      tx: Transaction,
      userId: string,
      { except = '' }: { except?: string } = {},
    ): Promise<void> {
      for (const id of await store.deleteSessionsOfUser(tx, userId, except)) await publishRevoked(tx, id)
    },

    /** The `Set-Cookie` value for a session. Null removes the cookie. */
    sessionCookie: (secret: string | null) => formatCookie(baseUrl, 'session', secret),
  }
}

/** A database stores neither U+0000 nor a lone surrogate, and the column has a limit. */
function sanitize({ ip, userAgent }: RequestInfo): RequestInfo {
  const clean = userAgent.slice(0, MAX_USER_AGENT).replaceAll('\u0000', '').toWellFormed()
  return { ip, userAgent: clean }
}

/** Deletes expired sessions and returns their number. */
export function sweepSessions(db: Database, clock: Clock, batchSize?: number): Promise<number> {
  return inBatches(limit => store.deleteExpiredSessions(db, clock(), limit), batchSize)
}
