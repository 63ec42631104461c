import { maxSessionSeconds, maxSessions, sessionSeconds } from '@gatehouse/protocol/limits'
import type { EndSessionsBody, Session } from '@gatehouse/protocol/users'
import { AppError } from '../../errors/app-error.ts'
import type { DomainEventPublisher } from '../../events/domain-events.ts'
import type { Events } from '../../events/gateway-events.ts'
import type { SessionCaller } from '../../http/caller.ts'
import { cookieName, formatCookie, readCookie } from '../../http/cookies.ts'
import { inBatches } from '../../kit/batches.ts'
import type { Clock } from '../../kit/clock.ts'
import { createSecret, hashSecret, isWellFormedSecret, secretPrefixes } from '../../kit/secret.ts'
import type { Database, Sql, Transaction } from '../../storage/database.ts'
import { cleanUserAgent, type RequestInfo } from '../request-info.ts'
import type { SecurityLog } from '../security-log/index.ts'
import * as store from './session-store.ts'

export type { SessionRecord } from './session-store.ts'

/** A session with the secret that the request sent. Another request may have replaced the secret since. */
export interface CurrentSession {
  userId: string
  sessionId: string
  secret: string
}

/** A new secret of a session, for its cookie. */
export interface RenewedSecret {
  secret: string
  /** The last sign-in, in milliseconds. The lifetime of the cookie counts from it. */
  authTime: number
}

const LIFETIME_MS = sessionSeconds * 1000
const MAX_LIFETIME_MS = maxSessionSeconds * 1000
/** `last_used_at` is written at most this often, because every request reads a session. */
const LAST_USED_INTERVAL_MS = 5 * 60 * 1000

export type Sessions = ReturnType<typeof createSessions>

interface SessionsDeps {
  db: Database
  clock: Clock
  /** Makes a new snowflake. */
  ids: () => string
  events: Pick<Events, 'closeGatewayConnections'>
  domainEvents: DomainEventPublisher
  securityLog: Pick<SecurityLog, 'record'>
  baseUrl: string
}

export function createSessions({ db, clock, ids, events, domainEvents, securityLog, baseUrl }: SessionsDeps) {
  async function publishRevoked(tx: Transaction, id: string): Promise<void> {
    await domainEvents.publish(tx, 'SessionEnded', { sessionId: id })
    tx.afterCommit(() => events.closeGatewayConnections(id, { reason: 'signed_out' }))
  }

  /** Revokes every session of the user except `except`. */
  async function revokeSessions(
    tx: Transaction,
    userId: string,
    { except = '' }: { except?: string } = {},
  ): Promise<void> {
    for (const id of await store.deleteSessionsOfUser(tx, userId, except)) await publishRevoked(tx, id)
  }

  /**
   * Returns the new secret (sign-in/session-secret). Throws `unauthenticated` if the session was revoked or another
   * request has replaced the secret.
   */
  async function renewSecret(tx: Transaction, { sessionId, secret }: CurrentSession): Promise<RenewedSecret> {
    const next = createSecret(secretPrefixes.session)
    const authTime = await store.replaceSecret(tx, sessionId, hashSecret(secret), hashSecret(next))
    if (authTime === undefined) throw sessionEnded()
    return { secret: next, authTime }
  }

  function unlessExpired(session: store.SessionRecord | undefined): store.SessionRecord | undefined {
    return session && session.expiresAt > clock() ? session : undefined
  }

  return {
    revokeSessions,
    renewSecret,

    /**
     * Until the transaction ends, no other request revokes the session or replaces its secret. Throws `unauthenticated`
     * if one has done so already.
     */
    async lockSession(tx: Transaction, { sessionId, secret }: CurrentSession): Promise<void> {
      if (!(await store.lockSession(tx, sessionId, hashSecret(secret)))) throw sessionEnded()
    },

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
        expiresAt = expiryOf(session.authTime, now)
        await store.updateLastUsed(db, session.id, { ...clientOf(request), lastUsedAt: now, expiresAt })
      }
      return { kind: 'session', userId: session.userId, sessionId: session.id, expiresAt }
    },

    /**
     * The caller has authenticated the user and has locked the user row, so that concurrent sign-ins together do not
     * exceed the cap (limits/sessions). `secret` is for the cookie only; the database stores its hash.
     */
    async createSession(
      tx: Transaction,
      { userId, amr, ...request }: RequestInfo & { userId: string; amr: string[] },
    ): Promise<{ id: string; secret: string }> {
      const now = clock()
      const ended = await store.deleteLeastRecentlyUsed(tx, userId, { now, keep: maxSessions - 1 })
      for (const id of ended) await publishRevoked(tx, id)
      const id = ids()
      const secret = createSecret(secretPrefixes.session)
      const times = { createdAt: now, lastUsedAt: now, expiresAt: expiryOf(now, now), authTime: now }
      await store.insertSession(tx, { id, userId, amr, ...clientOf(request), ...times }, hashSecret(secret))
      return { id, secret }
    },

    /** Undefined if the session was revoked or has expired, or the user is disabled. */
    async findSession(sql: Sql, id: string): Promise<store.SessionRecord | undefined> {
      return unlessExpired(await store.findSession(sql, id))
    },

    /** Like `findSession`. Nobody ends the session before the transaction ends. */
    async holdSession(tx: Transaction, id: string): Promise<store.SessionRecord | undefined> {
      return unlessExpired(await store.holdSession(tx, id))
    },

    /** Of these sessions, those that were not revoked and whose user is not disabled. */
    async listExistingIds(ids: readonly string[]): Promise<ReadonlySet<string>> {
      return new Set(await store.listExistingIds(db, ids))
    },

    /** Of a user who is disabled. The sessions remain. */
    async closeConnections(tx: Transaction, userId: string): Promise<void> {
      const ids = await store.listIds(tx, userId)
      tx.afterCommit(() => {
        for (const id of ids) events.closeGatewayConnections(id, { reason: 'disabled' })
      })
    },

    /** In the order of creation. */
    async listSessions(userId: string, currentSessionId: string): Promise<Session[]> {
      const now = clock()
      const sessions = await store.listSessions(db, userId, now)
      return sessions.map(({ id, createdAt, lastUsedAt, userAgent, ip }) => ({
        id,
        createdAt: new Date(createdAt).toISOString(),
        // This request uses the current session, also if that is not written.
        lastUsedAt: new Date(id === currentSessionId ? now : lastUsedAt).toISOString(),
        userAgent: userAgent === '' ? null : userAgent,
        ip,
        current: id === currentSessionId,
      }))
    },

    /**
     * The user has authenticated again. Returns the new secret (sign-in/session-secret). Returns undefined if the
     * session was revoked or another request has replaced the secret.
     */
    async reauthenticate(
      tx: Transaction,
      { sessionId, secret }: CurrentSession,
      amr: string[],
    ): Promise<string | undefined> {
      const next = createSecret(secretPrefixes.session)
      const now = clock()
      const authTime = await store.replaceSecret(tx, sessionId, hashSecret(secret), hashSecret(next))
      if (authTime === undefined) return undefined
      const times = { authTime: now, lastUsedAt: now, expiresAt: expiryOf(now, now) }
      await store.updateAuthTime(tx, sessionId, { amr, ...times })
      return next
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
    revokeOwnSession(id: string, userId: string, request: RequestInfo): Promise<boolean> {
      return db.transaction(async tx => {
        const revoked = await store.deleteSessionOfUser(tx, id, userId)
        if (!revoked) return false
        await publishRevoked(tx, id)
        await securityLog.record(tx, { userId, kind: 'SESSION_REVOKE', request })
        return true
      })
    },

    /**
     * Revokes all other sessions of the user, and with `revokeTokens` the tokens of all applications. The current
     * session gets a new secret, because somebody else may have its cookie (sign-in/sign-out-everywhere).
     */
    endOtherSessions(
      current: CurrentSession,
      { revokeTokens = false }: EndSessionsBody,
      request: RequestInfo,
    ): Promise<RenewedSecret> {
      const { userId, sessionId } = current
      return db.transaction(async tx => {
        await revokeSessions(tx, userId, { except: sessionId })
        // Before the tokens are revoked: it waits for a request that issues a code for this session.
        const renewed = await renewSecret(tx, current)
        if (revokeTokens) await domainEvents.publish(tx, 'TokensRevoked', { userId })
        await securityLog.record(tx, { userId, kind: 'SIGN_OUT_ALL', request })
        return renewed
      })
    },

    /**
     * The `Set-Cookie` value for a session. Null removes the cookie. Without `authTime` the user has just signed in.
     */
    sessionCookie(secret: string | null, authTime: number = clock()): string {
      const maxAge = Math.ceil((authTime + MAX_LIFETIME_MS - clock()) / 1000)
      return formatCookie(baseUrl, 'session', secret, maxAge)
    },
  }
}

function sessionEnded(): AppError {
  return new AppError('unauthenticated', 'The session has ended.')
}

/** When a session expires after a use (sign-in/session-lifetime). Times are in milliseconds. */
function expiryOf(authTime: number, lastUsedAt: number): number {
  return Math.min(lastUsedAt + LIFETIME_MS, authTime + MAX_LIFETIME_MS)
}

/** `caller` is the caller of the request. */
export function currentSessionOf(
  request: Parameters<typeof readCookie>[0],
  { userId, sessionId }: SessionCaller,
  baseUrl: string,
): CurrentSession {
  return { userId, sessionId, secret: readCookie(request, cookieName(baseUrl, 'session')) ?? '' }
}

function clientOf({ ip, userAgent }: RequestInfo) {
  return { ip, userAgent: cleanUserAgent(userAgent) }
}

/** Deletes expired sessions and returns their number. */
export function sweepSessions(db: Database, clock: Clock, batchSize?: number): Promise<number> {
  return inBatches(limit => store.deleteExpiredSessions(db, clock(), limit), batchSize)
}
