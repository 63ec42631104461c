import type { RecentProof } from '@gatehouse/protocol/second-factor'
import type { SecurityEvent } from '@gatehouse/protocol/security-log'
import { AppError, notFound } from '../../errors/app-error.ts'
import type { RateLimiter } from '../../rate-limits/rate-limiter.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import { createMailSender } from '../account-mails.ts'
import type { Sessions } from '../sessions/index.ts'
import type { ChangeContext, Proofs } from './proofs.ts'
import { generateRecoveryCodes, hashRecoveryCode } from './recovery-codes.ts'
import type { FactorDeps, FactorUser } from './second-factor-deps.ts'
import * as store from './second-factor-store.ts'

/** The changes of the second factors of a user: by the name of the mail, the kind in the security log. */
const changes = {
  passkeyAdded: 'PASSKEY_ADD',
  passkeyRemoved: 'PASSKEY_REMOVE',
  appAdded: 'TOTP_ENABLE',
  appRemoved: 'TOTP_DISABLE',
  newRecoveryCodes: 'RECOVERY_CODES_CREATE',
} as const satisfies Record<string, SecurityEvent>
type FactorChange = keyof typeof changes

export interface SettingsDeps extends FactorDeps {
  sessions: Sessions
  rateLimiter: RateLimiter
  proofs: Proofs
}

export type Enrollment = ReturnType<typeof createEnrollment>

/** The rules that every change of second factors follows. */
export function createEnrollment(deps: SettingsDeps) {
  const { db, secretKey, sessions, securityLog } = deps
  const { lockSession, withProof } = deps.proofs
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

  function record(tx: Transaction, request: ChangeContext, type: FactorChange): Promise<void> {
    return securityLog.record(tx, { userId: request.userId, kind: changes[type], request })
  }

  /** `withProof`, an entry of the security log, and a mail about the change after the commit. */
  async function changeWithProof<T>(
    context: ChangeContext,
    proof: RecentProof,
    type: FactorChange,
    change: (tx: Transaction, existing: store.FactorCounts) => Promise<T>,
  ): Promise<T> {
    const user = await requireUser(db, context.userId)
    const result = await withProof(context, proof, async (tx, existing) => {
      const changed = await change(tx, existing)
      await record(tx, context, type)
      return changed
    })
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
   * Adds a factor with `insert`. The first factor revokes the other sessions of the user, so that every remaining
   * session has shown a second factor. Returns new recovery codes, or none if the user has a set already.
   */
  async function addFactor(
    context: ChangeContext,
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
      await record(tx, context, type)
      if (existing.recoveryCodes > 0) return { user, codes: [] }
      await record(tx, context, 'newRecoveryCodes')
      return { user, codes: await replaceRecoveryCodes(tx, userId) }
    })
    await sendMail(user, type, { locale })
    return codes
  }

  /**
   * Removes a factor with `remove`, which returns false if it does not exist: throws `not_found`. Removing the last
   * factor also deletes the recovery codes, because they replace a factor.
   */
  function removeFactor(
    context: ChangeContext,
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

  return { requireVerifiedUser, changeWithProof, addFactor, removeFactor, replaceRecoveryCodes }
}
