import { recentProofSeconds } from '@gatehouse/protocol/limits'
import type { Locale } from '@gatehouse/protocol/locales'
import type { RecentProof } from '@gatehouse/protocol/second-factor'
import { AppError, invalid, notFound } from '../../kit/app-error.ts'
import type { RateLimiter } from '../../rate-limits/rate-limiter.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import { createMailSender } from '../account-mails.ts'
import type { SessionRecord, Sessions } from '../sessions/index.ts'
import { isMultiFactor } from './amr.ts'
import { challengePurposes } from './challenges.ts'
import type { FactorAttempt, FactorDeps, FactorResponse, FactorUser } from './deps.ts'
import { generateRecoveryCodes, hashRecoveryCode } from './recovery-codes.ts'
import * as store from './store.ts'

/** The session in which a user changes their second factors. */
export interface SessionContext {
  userId: string
  sessionId: string
  ip: string
  /** The language of the mail about the change. */
  locale?: Locale
}

/** A change of the second factors of a user, and the name of the mail about it. */
type FactorChange = 'passkeyAdded' | 'passkeyRemoved' | 'appAdded' | 'appRemoved' | 'newRecoveryCodes'

export interface SettingsDeps extends FactorDeps {
  sessions: Sessions
  rateLimiter: RateLimiter
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

export type Enrollment = ReturnType<typeof createEnrollment>

/** The rules that every change of second factors follows. */
export function createEnrollment(deps: SettingsDeps) {
  const { db, clock, secretKey, sessions } = deps
  const sendMail = createMailSender(deps.baseUrl, deps.mailer)

  /** Throws `unauthenticated` if the account was deleted. */
  async function requireUser(sql: Sql, userId: string): Promise<FactorUser> {
    const user = await deps.findUser(sql, userId)
    if (!user) throw new AppError('unauthenticated', 'The account does not exist.')
    return user
  }

  /**
   * Throws `email_not_verified` (sign-in/factor-needs-verified-email). Otherwise a person who registers with the email
   * address of another one could lock the owner out with a second factor.
   */
  async function requireVerifiedUser(sql: Sql, userId: string): Promise<FactorUser> {
    const user = await requireUser(sql, userId)
    if (!user.emailVerified) throw new AppError('email_not_verified', 'Verify your email address first.')
    return user
  }

  /** Throws `unauthenticated` if the session was revoked while the request was processed. */
  async function lockSession(
    tx: Transaction,
    { userId, sessionId }: SessionContext,
  ): Promise<{ session: SessionRecord; existing: store.FactorCounts }> {
    await deps.lockUserRow(tx, userId)
    const session = await sessions.findSession(tx, sessionId)
    if (!session) throw new AppError('unauthenticated', 'The session has ended.')
    return { session, existing: await store.countFactors(tx, userId) }
  }

  /**
   * Runs `change` in a transaction with the lock of the user row, if the user has proved their identity
   * (sign-in/factor-change-proof): with a second factor if they have one, otherwise with the password, or with either in a
   * sign-in within the last ten minutes. Throws `validation_failed` at `code`, `passkey` or `currentPassword`, or
   * `rate_limited`.
   */
  async function withProof<T>(
    context: SessionContext,
    proof: RecentProof,
    change: (tx: Transaction, existing: store.FactorCounts) => Promise<T>,
  ): Promise<T> {
    const { userId, sessionId, ip } = context
    const { currentPassword, passkey, code } = proof
    const hasPassword = currentPassword !== undefined
    if (hasPassword) await deps.checkCurrentPassword(userId, currentPassword, { ip })

    /** The user row is locked before the factor is consumed, in the order of all changes of factors. */
    const run = (consume?: (tx: Transaction) => Promise<unknown>) =>
      db.transaction(async tx => {
        const { session, existing } = await lockSession(tx, context)
        await consume?.(tx)
        const isRecent = clock() - session.authTime < recentProofSeconds * 1000
        if (existing.passkeys > 0 || existing.totp) {
          if (!consume && !(isRecent && isMultiFactor(session.amr))) throw proofRequired('code')
        } else if (!hasPassword && !isRecent) {
          throw proofRequired('currentPassword')
        }
        return change(tx, existing)
      })

    const response = passkey ? { passkey } : code !== undefined ? { code } : undefined
    if (!response) return run()
    const factor = { userId, response, purpose: challengePurposes.settings, holder: sessionId }
    try {
      return await deps.useFactor(factor, run)
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_credentials') throw wrongFactor(response)
      throw error
    }
  }

  /** `withProof`, and a mail about the change after the commit. */
  async function changeWithProof<T>(
    context: SessionContext,
    proof: RecentProof,
    type: FactorChange,
    change: (tx: Transaction, existing: store.FactorCounts) => Promise<T>,
  ): Promise<T> {
    const user = await requireUser(db, context.userId)
    const result = await withProof(context, proof, change)
    await sendMail(user, type, { locale: context.locale })
    return result
  }

  /** Invalidates the previous recovery codes. */
  async function replaceRecoveryCodes(tx: Transaction, userId: string): Promise<string[]> {
    const codes = generateRecoveryCodes()
    const hashes = codes.map(code => hashRecoveryCode(secretKey, userId, code))
    await store.replaceRecoveryCodes(tx, userId, hashes)
    return codes
  }

  /**
   * Adds a factor with `insert`. The first factor revokes the other sessions of the user, so that every remaining session
   * has shown a second factor. Returns new recovery codes, or none if the user has a set already.
   */
  async function addFactor(
    context: SessionContext,
    type: FactorChange,
    amr: readonly string[],
    insert: (tx: Transaction, existing: store.FactorCounts) => Promise<void>,
  ): Promise<string[]> {
    const { userId, sessionId, locale } = context
    const { user, codes } = await db.transaction(async tx => {
      const { existing } = await lockSession(tx, context)
      const user = await requireVerifiedUser(tx, userId)
      await insert(tx, existing)
      if (existing.passkeys === 0 && !existing.totp) {
        await sessions.revokeSessions(tx, userId, { except: sessionId })
        await sessions.addAuthMethods(tx, sessionId, amr)
      }
      return { user, codes: existing.recoveryCodes > 0 ? [] : await replaceRecoveryCodes(tx, userId) }
    })
    await sendMail(user, type, { locale })
    return codes
  }

  /**
   * Removes a factor with `remove`, which returns false if it does not exist: throws `not_found`. Removing the last factor
   * also deletes the recovery codes, because they replace a factor.
   */
  function removeFactor(
    context: SessionContext,
    proof: RecentProof,
    type: FactorChange,
    remove: (tx: Transaction) => Promise<boolean>,
  ): Promise<void> {
    return changeWithProof(context, proof, type, async tx => {
      if (!(await remove(tx))) throw notFound()
      const { passkeys, totp } = await store.countFactors(tx, context.userId)
      if (passkeys > 0 || totp) return
      await store.deleteRecoveryCodes(tx, context.userId)
      await store.deleteMfaTickets(tx, context.userId)
    })
  }

  return { requireVerifiedUser, withProof, changeWithProof, addFactor, removeFactor, replaceRecoveryCodes }
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
