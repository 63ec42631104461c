import type { OAuthErrorCode } from '@gatehouse/protocol/errors'
import { isId } from '@gatehouse/protocol/ids'
import {
  maxFailedApplications,
  maxFailuresPerWrite,
  maxSignInFailureReason,
  maxSignInFailures,
} from '@gatehouse/protocol/limits'
import type { SignInFailure } from '@gatehouse/protocol/oauth'
import { ownApplication } from '../applications/index.ts'
import { AppError } from '../errors/app-error.ts'
import { redact } from '../http/log.ts'
import { inSlices } from '../kit/batches.ts'
import { runEvery } from '../kit/clock.ts'
import { ReferenceViolation } from '../storage/database.ts'
import type { Deps } from './oauth-deps.ts'
import { OAuthError, RedirectableError } from './oauth-errors.ts'
import * as store from './sign-in-failure-store.ts'

const flushMs = 1000
const hourMs = 3_600_000

export type SignInFailures = ReturnType<typeof createSignInFailures>

/**
 * The log of the requests of each application to the authorization and the token endpoint that failed
 * (sign-in/failures). Anybody can send such requests, with any `client_id`. So `record` only counts in memory, within
 * bounds, and does not wait for the database: a node writes once a second.
 */
export function createSignInFailures({ db, clock, timers, ids, onError }: Deps) {
  /** By application, and then by the failure itself. */
  let pending = new Map<string, Map<string, store.Failure>>()
  let lastFlush: Promise<void> = Promise.resolve()

  async function write(applicationId: string, failures: Iterable<store.Failure>): Promise<void> {
    try {
      await db.transaction(async tx => {
        for (const failure of failures) {
          const { lastAt } = failure
          if (await store.addToFailure(tx, applicationId, failure, lastAt - hourMs)) continue
          await store.insertFailure(tx, applicationId, { ...failure, id: ids(), createdAt: lastAt })
        }
        await store.deleteOldFailures(tx, applicationId, maxSignInFailures)
      })
    } catch (error) {
      // ReferenceViolation: the application was deleted, and its log with it.
      if (!(error instanceof ReferenceViolation)) onError(error)
    }
  }

  async function writePending(): Promise<void> {
    const batch = pending
    if (batch.size === 0) return
    pending = new Map()
    try {
      const existing = await inSlices([...batch.keys()], 500, slice => store.listExisting(db, slice))
      for (const id of existing.flat().slice(0, maxFailedApplications)) {
        await write(id, batch.get(id)?.values() ?? [])
      }
    } catch (error) {
      onError(error)
    }
  }

  /** Writes the pending failures of this node. */
  function flush(): Promise<void> {
    lastFlush = lastFlush.then(writePending)
    return lastFlush
  }

  const interval = runEvery(timers, flushMs, flush)

  return {
    /** `clientId` is what the request says. Failures of an unknown client are not kept. */
    record(endpoint: SignInFailure['endpoint'], clientId: string | undefined, thrown: unknown): void {
      if (clientId === undefined || !isId(clientId)) return
      const failures = pending.get(clientId) ?? new Map<string, store.Failure>()
      if (!pending.has(clientId) && pending.size >= 50 * maxFailedApplications) return
      pending.set(clientId, failures)
      const failure = describe(thrown)
      const key = `${endpoint} ${failure.error} ${failure.reason}`
      const count = failures.get(key)?.count ?? 0
      if (count === 0 && failures.size >= maxFailuresPerWrite) return
      failures.set(key, { endpoint, ...failure, count: count + 1, lastAt: clock() })
    },

    /** The one that occurred last comes first. Throws 404 for an application of another owner. */
    async list(ownerId: string, applicationId: string): Promise<SignInFailure[]> {
      await ownApplication(db, ownerId, applicationId)
      await flush()
      const records = await store.listFailures(db, applicationId, maxSignInFailures)
      return records.map(({ createdAt, lastAt, ...failure }) => ({
        ...failure,
        createdAt: new Date(createdAt).toISOString(),
        lastAt: new Date(lastAt).toISOString(),
      }))
    },

    async close(): Promise<void> {
      await interval.close()
      await flush()
    },
  }
}

/** The error of the response, with the reason that only the log has. */
function describe(thrown: unknown): Pick<store.Failure, 'error' | 'reason'> {
  const { error, reason } = readError(thrown)
  // The sender of the request chose a URI that is not registered, and its query may have a code.
  const text = redact(reason)
    .replace(/[?#]\S+/g, '?…')
    .replace(/\p{C}/gu, '')
  const characters = [...text.toWellFormed()]
  const isLong = characters.length > maxSignInFailureReason
  return {
    error,
    reason: isLong ? `${characters.slice(0, maxSignInFailureReason - 1).join('')}…` : text,
  }
}

function readError(thrown: unknown): { error: OAuthErrorCode; reason: string } {
  if (thrown instanceof RedirectableError) return { error: thrown.error, reason: thrown.message }
  if (thrown instanceof OAuthError) {
    const { error, message, reason = '' } = thrown
    const detail = reason.slice(`${error}: `.length)
    return { error, reason: detail === message ? message : `${message} Reason: ${detail}.` }
  }
  if (!(thrown instanceof AppError)) {
    return { error: 'server_error', reason: 'An internal error occurred.' }
  }
  const error = thrown.status === 429 ? 'temporarily_unavailable' : 'invalid_request'
  return { error: thrown.status === 403 ? 'access_denied' : error, reason: thrown.message }
}
