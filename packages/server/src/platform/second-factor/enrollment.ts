import { recentProofSeconds } from '@gatehouse/protocol/limits'
import type { Locale } from '@gatehouse/protocol/locales'
import { AppError, invalid, notFound } from '../../kit/app-error.ts'
import type { Transaction } from '../../storage/database.ts'
import { createMailSender } from '../mails.ts'
import type { Sessions } from '../sessions/index.ts'
import type { FactorDeps, FactorUser } from './deps.ts'
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
  async function requireUser(userId: string): Promise<FactorUser> {
    const user = await deps.findUser(db, userId)
    if (!user) throw new AppError('unauthenticated', 'The account does not exist.')
    return user
  }

  /**
   * Requires the current password, unless the session was authenticated within the last ten minutes. Throws
   * `validation_failed` at `currentPassword`, or `rate_limited`.
   */
  async function requireRecentAuthentication(
    { userId, sessionId, ip }: SessionContext,
    currentPassword: string | undefined,
  ): Promise<void> {
    if (currentPassword !== undefined) return deps.checkCurrentPassword(userId, currentPassword, { ip })
    const session = await sessions.findSession(db, sessionId)
    if (session && clock() - session.authTime < recentProofSeconds * 1000) return
    const minutes = recentProofSeconds / 60
    throw invalid('currentPassword', 'required', `is required ${minutes} minutes after the last sign-in`)
  }

  /** Locks the user row, runs `change` in the same transaction, and sends the mail about it after the commit. */
  async function changeFactors<T>(
    { userId, locale }: SessionContext,
    type: FactorChange,
    change: (tx: Transaction, existing: store.FactorCounts) => Promise<T>,
  ): Promise<T> {
    const user = await requireUser(userId)
    const result = await db.transaction(async tx => {
      await deps.lockUserRow(tx, userId)
      return change(tx, await store.countFactors(tx, userId))
    })
    await sendMail(user, type, { locale })
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
  function addFactor(
    session: SessionContext,
    type: FactorChange,
    amr: readonly string[],
    insert: (tx: Transaction, existing: store.FactorCounts) => Promise<void>,
  ): Promise<string[]> {
    return changeFactors(session, type, async (tx, existing) => {
      const { userId, sessionId } = session
      await insert(tx, existing)
      if (existing.passkeys === 0 && !existing.totp) {
        await sessions.revokeSessions(tx, userId, { except: sessionId })
        await sessions.addAuthMethods(tx, sessionId, amr)
      }
      return existing.recoveryCodes > 0 ? [] : replaceRecoveryCodes(tx, userId)
    })
  }

  /**
   * Removes a factor with `remove`, which returns false if it does not exist: throws `not_found`. Removing the last factor
   * also deletes the recovery codes, because they replace a factor.
   */
  function removeFactor(
    session: SessionContext,
    type: FactorChange,
    remove: (tx: Transaction) => Promise<boolean>,
  ): Promise<void> {
    return changeFactors(session, type, async tx => {
      if (!(await remove(tx))) throw notFound()
      const { passkeys, totp } = await store.countFactors(tx, session.userId)
      if (passkeys > 0 || totp) return
      await store.deleteRecoveryCodes(tx, session.userId)
      await store.deleteMfaTickets(tx, session.userId)
    })
  }

  return {
    requireUser,
    requireRecentAuthentication,
    changeFactors,
    addFactor,
    removeFactor,
    replaceRecoveryCodes,
  }
}
