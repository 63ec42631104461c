import { setImmediate } from 'node:timers/promises'
import { backchannelLogoutMs, logoutTokenSeconds } from '@gatehouse/protocol/limits'
import type { ApplicationRecord } from '../applications/index.ts'
import { createBackgroundTasks } from '../kit/background.ts'
import { inBatches } from '../kit/batches.ts'
import type { Timer } from '../kit/clock.ts'
import { OutgoingError } from '../outgoing/index.ts'
import { type Database, ReferenceViolation, type Sql } from '../storage/database.ts'
import {
  insertSignIn,
  isSignInMissing,
  listSignIns,
  type SignInOfClient,
} from './back-channel-logout-store.ts'
import type { Deps } from './oauth-deps.ts'
import { parseScopes } from './scopes.ts'
import type { SigningKeys } from './signing-keys.ts'

/** A client that receives a logout token. */
export interface LogoutRecipient {
  applicationId: string
  /** Its `backchannelLogoutUri`. */
  uri: string
  userId: string
  /** The session that has ended. */
  sid: string
}

/** A logout token that could not be delivered, for the log. */
export interface LogoutDeliveryFailure {
  applicationId: string
  reason: string
}

interface FailedAttempt {
  reason: string
  /** Whether another attempt would fail too. */
  isFinal: boolean
}

/** The delays before the second, third and fourth attempt. */
const retryDelaysMs = [5000, 30_000, 300_000]
/** The number of requests that start before the event loop handles other events (limits/event-loop). */
const attemptsPerTurn = 5
/** The number of retries that may wait in one process. Further failures are not retried. */
const maxPendingRetries = 1000

/** The `sid` of an ID token: only for clients with back-channel logout (sign-in/id-token-claims). */
export function sidClaim(
  client: Pick<ApplicationRecord, 'backchannelLogoutUri'>,
  sessionId: string,
): string | undefined {
  return client.backchannelLogoutUri === null ? undefined : sessionId
}

/** A sign-in to a client that must be notified when the session ends. */
export interface SignIn {
  sessionId: string
  applicationId: string
  userId: string
}

/** Undefined if an ID token with this scope has no `sid`. */
export function signInOf(
  client: Pick<ApplicationRecord, 'backchannelLogoutUri'>,
  { sessionId, applicationId, userId }: SignIn,
  scope: string,
): SignIn | undefined {
  if (client.backchannelLogoutUri === null || !parseScopes(scope)?.has('openid')) return undefined
  return { sessionId, applicationId, userId }
}

/**
 * For a refresh: the client may have had no back-channel logout when it exchanged the code. Does nothing if the session
 * has ended.
 */
export async function recordMissingSignIn(db: Database, signIn: SignIn): Promise<void> {
  if (!(await isSignInMissing(db, signIn.sessionId, signIn.applicationId))) return
  try {
    await insertSignIn(db, signIn)
  } catch (error) {
    // The session has ended since the read.
    if (!(error instanceof ReferenceViolation)) throw error
  }
}

/** Those of the sign-ins whose client still has back-channel logout. */
export function toRecipients(signIns: readonly SignInOfClient[]): LogoutRecipient[] {
  return signIns.flatMap(({ uri, ...signIn }) => (uri === null ? [] : [{ ...signIn, uri }]))
}

/** Of a disabled user. The rows remain, because the sessions are back when the user is enabled. */
export async function listRecipients(sql: Sql, userId: string): Promise<LogoutRecipient[]> {
  return toRecipients(await listSignIns(sql, userId))
}

/** Back-Channel Logout §2.4. Has no `nonce`, so that it cannot be used as an ID token. */
export function signLogoutToken(
  { clock, ids, baseUrl }: Deps,
  keys: SigningKeys,
  { applicationId, userId, sid }: LogoutRecipient,
): Promise<string> {
  const issuedAt = Math.floor(clock() / 1000)
  return keys.sign('logout+jwt', {
    iss: baseUrl,
    aud: applicationId,
    iat: issuedAt,
    exp: issuedAt + logoutTokenSeconds,
    jti: ids(),
    sub: userId,
    sid,
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  })
}

export type BackChannelLogout = ReturnType<typeof createBackChannelLogout>

/** Sends logout tokens (Back-Channel Logout §2.5). A request to one client does not wait for the others. */
export function createBackChannelLogout({
  timers,
  outgoing,
  signToken,
  onFailure,
  onError,
}: Pick<Deps, 'timers' | 'outgoing' | 'onError'> & {
  /** Each attempt has its own token, because a token expires soon. */
  signToken: (recipient: LogoutRecipient) => Promise<string>
  onFailure: (failure: LogoutDeliveryFailure) => void
}) {
  // An internal error of one attempt must not affect the other recipients.
  const background = createBackgroundTasks(onError)
  const waiting: LogoutRecipient[] = []
  const pendingRetries = new Map<Timer, LogoutDeliveryFailure>()
  let isStarting = false
  let closed = false

  async function startWaiting(): Promise<void> {
    while (waiting.length > 0) {
      for (const recipient of waiting.splice(0, attemptsPerTurn)) attempt(recipient, 0)
      await setImmediate()
    }
    isStarting = false
  }

  function attempt(recipient: LogoutRecipient, attempts: number): void {
    if (closed) {
      onFailure({ applicationId: recipient.applicationId, reason: 'the service is shutting down' })
      return
    }
    background.run(async () => {
      const failed = await post(recipient)
      if (failed !== undefined) retryOrFail(recipient, attempts, failed)
    })
  }

  function retryOrFail(
    recipient: LogoutRecipient,
    attempts: number,
    { reason, isFinal }: FailedAttempt,
  ): void {
    const delay = retryDelaysMs[attempts]
    const failure = { applicationId: recipient.applicationId, reason }
    if (closed || isFinal || delay === undefined || pendingRetries.size >= maxPendingRetries) {
      onFailure(failure)
      return
    }
    const timer = timers.after(delay, () => {
      pendingRetries.delete(timer)
      attempt(recipient, attempts + 1)
    })
    pendingRetries.set(timer, failure)
  }

  async function post(recipient: LogoutRecipient): Promise<FailedAttempt | undefined> {
    const token = await signToken(recipient)
    try {
      const { status } = await outgoing.post(new URL(recipient.uri), {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ logout_token: token }).toString(),
        timeoutMs: backchannelLogoutMs,
      })
      if (status >= 200 && status < 300) return undefined
      return { reason: `the response has the status ${status}`, isFinal: !isTemporary(status) }
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error
      return { reason: error.message, isFinal: error.reason === 'redirect' }
    }
  }

  function send(recipients: readonly LogoutRecipient[]): void {
    waiting.push(...recipients)
    if (isStarting) return
    isStarting = true
    background.run(startWaiting)
  }

  return {
    /** Returns without waiting for the requests. Retries failed requests until this process ends. */
    send,

    /** The same for any number of sign-ins, which `takeSignIns` deletes in batches. */
    sendInBatches(takeSignIns: (limit: number) => Promise<SignInOfClient[]>): void {
      background.run(async () => {
        await inBatches(async limit => {
          if (closed) return 0
          const signIns = await takeSignIns(limit)
          send(toRecipients(signIns))
          return signIns.length
        })
      })
    },

    /** Waits for running requests and cancels pending retries, which are reported to `onFailure`. */
    async close(): Promise<void> {
      closed = true
      for (const [timer, failure] of pendingRetries) {
        timer.cancel()
        onFailure(failure)
      }
      pendingRetries.clear()
      await background.idle()
    },
  }
}

/** §2.8: 400 means that the client rejects the token. It would reject the next token too. */
function isTemporary(status: number): boolean {
  return status >= 500 || status === 408 || status === 429
}
