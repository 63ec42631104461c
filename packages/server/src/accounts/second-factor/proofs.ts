import { recentProofSeconds } from '@gatehouse/protocol/limits'
import type { FactorProof, RecentProof } from '@gatehouse/protocol/second-factor'
import { AppError, invalid } from '../../errors/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Database, Transaction } from '../../storage/database.ts'
import type { RequestInfo } from '../request-info.ts'
import type { SessionRecord, Sessions } from '../sessions/index.ts'
import { isMultiFactor } from './amr.ts'
import { challengePurposes } from './challenges.ts'
import type { FactorAttempt, FactorResponse } from './second-factor-deps.ts'
import * as store from './second-factor-store.ts'

/** The session in which a user changes how they sign in. */
export interface SessionContext {
  userId: string
  sessionId: string
  ip: string
}

/** The same, for the mail about the change and the security log. */
export type ChangeContext = SessionContext & RequestInfo

interface ProofDeps {
  db: Database
  clock: Clock
  sessions: Pick<Sessions, 'holdSession'>
  /** Throws `invalid_credentials` or `rate_limited`. `run` calls `consume` in its transaction. */
  useFactor: <T>(
    factor: FactorAttempt,
    run: (consume: (tx: Transaction) => Promise<unknown>) => Promise<T>,
  ) => Promise<T>
  /** Serializes changes of the sign-in of one user: the lock lasts until the transaction ends. */
  lockUserRow: (tx: Transaction, userId: string) => Promise<void>
  /** Throws `validation_failed` at `currentPassword`, or `rate_limited`. */
  checkCurrentPassword: (userId: string, password: string, from: { ip: string }) => Promise<void>
}

interface LockedSession {
  existing: store.FactorCounts
  /** Whether the user signed in to this session within the last ten minutes. */
  isRecent: boolean
}

export type Proofs = ReturnType<typeof createProofs>

/**
 * Who changes how a user signs in proves their identity (sign-in/factor-change-proof, sign-in/credential-change-proof).
 */
export function createProofs({
  db,
  clock,
  sessions,
  useFactor,
  lockUserRow,
  checkCurrentPassword,
}: ProofDeps) {
  /**
   * Until the transaction ends, the user row does not change and nobody ends the session. Throws `unauthenticated` if
   * the session was revoked while the request was processed, or the user is disabled.
   */
  async function lockSession(
    tx: Transaction,
    { userId, sessionId }: Pick<SessionContext, 'userId' | 'sessionId'>,
  ): Promise<{ session: SessionRecord; existing: store.FactorCounts }> {
    await lockUserRow(tx, userId)
    const session = await sessions.holdSession(tx, sessionId)
    if (!session) throw new AppError('unauthenticated', 'The session has ended.')
    return { session, existing: await store.countFactors(tx, userId) }
  }

  /**
   * Runs `change` in a transaction with the lock of the user row. A user with a second factor must prove it: with
   * `code` or `passkey`, or in a sign-in within the last ten minutes. Throws `validation_failed` at `code` or
   * `passkey`, or `rate_limited`.
   */
  async function withFactor<T>(
    context: SessionContext,
    { passkey, code }: FactorProof,
    change: (tx: Transaction, locked: LockedSession) => Promise<T>,
  ): Promise<T> {
    const { userId, sessionId } = context
    /** The user row is locked before the factor is consumed, in the order of all changes of factors. */
    const run = (consume?: (tx: Transaction) => Promise<unknown>) =>
      db.transaction(async tx => {
        const { session, existing } = await lockSession(tx, context)
        await consume?.(tx)
        const isRecent = clock() - session.authTime < recentProofSeconds * 1000
        const hasFactor = existing.passkeys > 0 || existing.totp
        if (hasFactor && !consume && !(isRecent && isMultiFactor(session.amr))) throw proofRequired('code')
        return change(tx, { existing, isRecent })
      })

    const response = passkey ? { passkey } : code !== undefined ? { code } : undefined
    if (!response) return run()
    const factor = { userId, response, purpose: challengePurposes.settings, holder: sessionId }
    try {
      return await useFactor(factor, run)
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_credentials') throw wrongFactor(response)
      throw error
    }
  }

  /**
   * Like `withFactor`. A user without a second factor proves the password, with `currentPassword` or in a sign-in
   * within the last ten minutes. Throws also `validation_failed` at `currentPassword`.
   */
  async function withProof<T>(
    context: SessionContext,
    { currentPassword, ...proof }: RecentProof,
    change: (tx: Transaction, existing: store.FactorCounts) => Promise<T>,
  ): Promise<T> {
    const hasPassword = currentPassword !== undefined
    if (hasPassword) await checkCurrentPassword(context.userId, currentPassword, context)
    return withFactor(context, proof, async (tx, { existing, isRecent }) => {
      const hasFactor = existing.passkeys > 0 || existing.totp
      if (!hasFactor && !hasPassword && !isRecent) throw proofRequired('currentPassword')
      return change(tx, existing)
    })
  }

  return { lockSession, withFactor, withProof }
}

function proofRequired(path: 'code' | 'currentPassword'): AppError {
  const what = path === 'code' ? 'or "passkey" is required' : 'is required'
  return invalid(path, 'required', `${what} ${recentProofSeconds / 60} minutes after the last sign-in`)
}

function wrongFactor(response: FactorResponse): AppError {
  return 'code' in response
    ? invalid('code', 'wrong_code', 'is wrong or was already used')
    : invalid('passkey', 'invalid_passkey', 'is not a valid authentication response, or has expired')
}
