import { defaultListLimit, maxSecurityLogEntries, securityLogDays } from '@gatehouse/protocol/limits'
import type { SecurityEvent, SecurityLogEntry, SecurityLogQuery } from '@gatehouse/protocol/security-log'
import type { Logger } from '../../http/log.ts'
import { inBatches } from '../../kit/batches.ts'
import type { Clock } from '../../kit/clock.ts'
import { maxSnowflake } from '../../kit/snowflake.ts'
import type { Database, Transaction } from '../../storage/database.ts'
import { cleanUserAgent, type RequestInfo } from '../request-info.ts'
import * as store from './security-log-store.ts'

/** What happened to the sign-in of a user, which is recorded in its own transaction. */
interface Occurrence {
  userId: string
  kind: SecurityEvent
  /** The request of the user. Undefined if a moderator, an administrator or the operator acts. */
  request?: RequestInfo | undefined
  applicationId?: string
  targetName?: string
}

export type SecurityLog = ReturnType<typeof createSecurityLog>

/** The security log of each user, with one line in the log of the service for each entry (sign-in/security-log). */
export function createSecurityLog({
  db,
  clock,
  ids,
  logger,
}: {
  db: Database
  clock: Clock
  ids: () => string
  logger: Pick<Logger, 'info'>
}) {
  async function record(
    tx: Transaction,
    { userId, kind, request, applicationId, targetName }: Occurrence,
  ): Promise<void> {
    await store.insertEntry(tx, {
      id: ids(),
      userId,
      kind,
      applicationId: applicationId ?? null,
      targetName: targetName ?? null,
      ip: request?.ip ?? null,
      userAgent: request ? cleanUserAgent(request.userAgent) || null : null,
      createdAt: clock(),
    })
    // By kind, so that wrong passwords of an attacker do not replace the other entries.
    await store.deleteOldEntries(tx, { userId, kind }, maxSecurityLogEntries)
    tx.afterCommit(() => logger.info({ userId, kind, ip: request?.ip, applicationId }, 'security event'))
  }

  return {
    record,

    /**
     * A sign-in with a wrong password, code or passkey. Without `userId` nobody has the name: it is not logged, because
     * it may be a password that was typed into the wrong field.
     */
    async recordFailedSignIn(userId: string | undefined, request: RequestInfo): Promise<void> {
      const kind = 'SIGN_IN_FAILED'
      if (userId === undefined) logger.info({ kind, ip: request.ip }, 'security event')
      else await db.transaction(tx => record(tx, { userId, kind, request }))
    },

    /** Newest first. */
    async list(
      userId: string,
      { before = maxSnowflake, limit = defaultListLimit }: SecurityLogQuery,
    ): Promise<SecurityLogEntry[]> {
      const records = await store.listEntries(db, userId, { before, limit })
      return records.map(({ userId: _, createdAt, ...entry }) => ({
        ...entry,
        createdAt: new Date(createdAt).toISOString(),
      }))
    },

    /** Deletes entries after 90 days. */
    async sweep(): Promise<void> {
      const createdBefore = clock() - securityLogDays * 86_400_000
      await inBatches(limit => store.deleteEntriesBefore(db, createdBefore, limit))
    },
  }
}
