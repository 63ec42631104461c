import * as limits from '@gatehouse/protocol/limits'
import type {
  PasskeyAssertion,
  PasskeyRequestOptions,
  SecondFactorMethod,
} from '@gatehouse/protocol/second-factor'
import type { AppError } from '../../errors/app-error.ts'
import { LocalizedError } from '../../i18n/localized-error.ts'
import { inBatches } from '../../kit/batches.ts'
import type { Clock } from '../../kit/clock.ts'
import { createSecret, hashSecret, isWellFormedSecret, secretPrefixes } from '../../kit/secret.ts'
import type { RateLimiter } from '../../rate-limits/rate-limiter.ts'
import type { Database, Transaction } from '../../storage/database.ts'
import { createMailSender } from '../account-mails.ts'
import type { RequestInfo } from '../request-info.ts'
import { codeAmr, passkeyAmr, passwordlessAmr } from './amr.ts'
import { challengePurposes, createChallenges } from './challenges.ts'
import { hashRecoveryCode } from './recovery-codes.ts'
import type { ChallengeBinding, FactorAttempt, FactorDeps, FactorResponse } from './second-factor-deps.ts'
import * as store from './second-factor-store.ts'
import { isTotpCode, verifySealedTotp } from './totp.ts'
import { challengeOf, relyingPartyOf, requestOptions, userHandleOf, verifyAssertion } from './webauthn.ts'
import { createCodeLimit, InvalidFactorError } from './wrong-codes.ts'

/** A login that has the right password and waits for the second factor. */
export interface MfaTicket {
  ticket: string
  methods: SecondFactorMethod[]
}

/** A valid factor. It has an effect only if `consume` returns true. */
interface VerifiedFactor {
  /** Without `pwd`. */
  amr: readonly string[]
  isRecoveryCode: boolean
  /** Call it in the transaction of the login. Of concurrent calls exactly one returns true. */
  consume(tx: Transaction): Promise<boolean>
}

/** Creates the session in the transaction that consumes the factor. */
type OnAuthenticated<T> = (tx: Transaction, user: { userId: string; amr: string[] }) => Promise<T>

export type MfaLogin = ReturnType<typeof createMfaLogin>

/**
 * The second step of a login, and sign-in with a passkey without a password. `browserId` is the value of the browser
 * cookie: tickets and challenges work in that browser only.
 */
export function createMfaLogin({
  db,
  clock,
  sealer,
  secretKey,
  baseUrl,
  mailer,
  findUser,
  rateLimiter,
  securityLog,
}: FactorDeps & { rateLimiter: RateLimiter }) {
  const relyingParty = relyingPartyOf(baseUrl)
  const challenges = createChallenges({ clock, secretKey })
  const sendMail = createMailSender(baseUrl, mailer)
  const limitCodes = createCodeLimit(rateLimiter)

  /**
   * Call it after the password check, in the transaction that would create the session. Undefined if the user has no
   * second factor. The ticket is valid for five minutes and one use.
   */
  async function createMfaTicket(
    tx: Transaction,
    userId: string,
    browserId: string,
  ): Promise<MfaTicket | undefined> {
    const methods = methodsOf(await store.countFactors(tx, userId))
    if (methods.length === 0) return undefined
    const ticket = createSecret(secretPrefixes.signInTicket)
    await store.insertMfaTicket(tx, {
      ticketHash: hashSecret(ticket),
      userId,
      browserHash: hashSecret(browserId),
      expiresAt: clock() + limits.secondFactorSeconds * 1000,
    })
    return { ticket, methods }
  }

  async function findTicketUser(
    ticket: string,
    browserId: string,
  ): Promise<{ hash: string; userId: string } | undefined> {
    if (!isWellFormedSecret(secretPrefixes.signInTicket, ticket) || browserId === '') return undefined
    const hash = hashSecret(ticket)
    const userId = await store.findMfaTicket(db, hash, hashSecret(browserId), clock())
    return userId === undefined ? undefined : { hash, userId }
  }

  /** The user of a ticket and the methods they can use. Undefined if the ticket is invalid, used or expired. */
  async function findMfaTicket(
    ticket: string,
    browserId: string,
  ): Promise<{ hash: string; userId: string; methods: SecondFactorMethod[] } | undefined> {
    const found = await findTicketUser(ticket, browserId)
    if (!found) return undefined
    const methods = methodsOf(await store.countFactors(db, found.userId))
    return methods.length === 0 ? undefined : { ...found, methods }
  }

  /** The options for a passkey after the password. Throws `unauthenticated` if the ticket is invalid. */
  async function createMfaOptions(ticket: string, browserId: string): Promise<PasskeyRequestOptions> {
    const found = await findTicketUser(ticket, browserId)
    if (!found) throw ticketExpired()
    const challenge = challenges.createChallenge(challengePurposes.secondFactor, found.hash)
    return requestOptions(relyingParty, {
      challenge,
      allowed: await store.listPasskeys(db, found.userId),
    })
  }

  /** The options for a passkey without a password. */
  function createPasskeyLoginOptions(browserId: string): PasskeyRequestOptions {
    const challenge = challenges.createChallenge(challengePurposes.passwordless, hashSecret(browserId))
    return requestOptions(relyingParty, { challenge })
  }

  async function verifyCode(userId: string, code: string): Promise<VerifiedFactor | undefined> {
    const digits = code.replace(/[\s\p{Pd}]/gu, '')
    if (!isTotpCode(digits)) {
      // Whether the user has this code is decided by `consume`.
      const hash = hashRecoveryCode(secretKey, userId, code)
      const consume = (tx: Transaction) => store.consumeRecoveryCode(tx, userId, hash)
      return { amr: codeAmr, isRecoveryCode: true, consume }
    }
    const totp = await store.findTotp(db, userId)
    if (!totp?.confirmed) return undefined
    const { sealed } = totp
    const step = await verifySealedTotp(sealer, { userId, sealed }, digits, clock())
    if (step === undefined) return undefined
    const consume = (tx: Transaction) => store.consumeTotpStep(tx, userId, { sealed, step })
    return { amr: codeAmr, isRecoveryCode: false, consume }
  }

  async function verifyPasskey(
    passkey: store.PasskeyRecord,
    assertion: PasskeyAssertion,
    { purpose, holder }: ChallengeBinding,
  ): Promise<VerifiedFactor['consume'] | undefined> {
    const challenge = challengeOf(assertion)
    const verifiedChallenge = challenges.verifyChallenge(challenge, purpose, holder)
    if (!verifiedChallenge) return undefined
    const requireUserVerification = purpose === challengePurposes.passwordless
    const verified = await verifyAssertion(relyingParty, assertion, {
      passkey,
      challenge,
      requireUserVerification,
    })
    if (!verified) return undefined
    return async tx =>
      (await verifiedChallenge.consume(tx)) &&
      (await store.updatePasskeyCounter(tx, passkey.id, verified.counter, clock()))
  }

  async function verifySecondFactorPasskey(
    userId: string,
    assertion: PasskeyAssertion,
    binding: ChallengeBinding,
  ): Promise<VerifiedFactor | undefined> {
    const passkey = await store.findPasskeyByCredential(db, assertion.id)
    const handle = assertion.response.userHandle ?? ''
    // WebAuthn §7.2 step 6: the handle is optional if the relying party identified the user before.
    if (passkey?.userId !== userId || (handle !== '' && handle !== userHandleOf(userId))) return undefined
    const consume = await verifyPasskey(passkey, assertion, binding)
    return consume && { amr: passkeyAmr(passkey), isRecoveryCode: false, consume }
  }

  /**
   * Verifies a second factor. `run` calls `consume` in its transaction. `consume` throws `invalid_credentials` if the
   * factor is wrong. Throws `rate_limited` (limits/rates).
   */
  function useFactor<T>(
    { userId, response, ...binding }: FactorAttempt,
    run: (consume: (tx: Transaction) => Promise<VerifiedFactor>) => Promise<T>,
  ): Promise<T> {
    const attempt = (type: 'code' | 'passkey', factor: VerifiedFactor | undefined) =>
      run(async tx => {
        // A throw rolls back what was consumed before it.
        if (!factor || !(await factor.consume(tx))) throw new InvalidFactorError(type)
        return factor
      })
    if ('code' in response) {
      return limitCodes(userId, async () => attempt('code', await verifyCode(userId, response.code)))
    }
    return verifySecondFactorPasskey(userId, response.passkey, binding).then(factor =>
      attempt('passkey', factor),
    )
  }

  /** Completes a login. Throws `unauthenticated` if the ticket is invalid, and like `useFactor`. */
  async function completeMfa<T>(
    { ticket, browserId, response, request }: MfaResponse,
    onAuthenticated: OnAuthenticated<T>,
  ): Promise<T> {
    const found = await findMfaTicket(ticket, browserId)
    if (!found) throw ticketExpired()
    const { hash, userId } = found
    const factorOfLogin = { userId, response, purpose: challengePurposes.secondFactor, holder: hash }
    const { result, userToNotify, left } = await useFactor(factorOfLogin, consume =>
      db.transaction(async tx => {
        const factor = await consume(tx)
        if (!(await store.consumeMfaTicket(tx, hash, clock()))) throw ticketExpired()
        const result = await onAuthenticated(tx, { userId, amr: ['pwd', ...factor.amr] })
        // Somebody else may have found the list of recovery codes, so its use sends a mail.
        const userToNotify = factor.isRecoveryCode ? await findUser(tx, userId) : undefined
        return { result, userToNotify, left: (await store.countFactors(tx, userId)).recoveryCodes }
      }),
    ).catch(async (error: unknown) => {
      if (error instanceof InvalidFactorError) await securityLog.recordFailedSignIn(userId, request)
      throw error
    })
    const { locale } = request
    if (userToNotify) await sendMail(userToNotify, 'recoveryCodeUsed', { locale, left })
    return result
  }

  /** Throws `invalid_credentials`. */
  async function completePasskeyLogin<T>(
    { browserId, passkey: assertion }: { browserId: string; passkey: PasskeyAssertion },
    onAuthenticated: OnAuthenticated<T>,
  ): Promise<T> {
    const passkey = await store.findPasskeyByCredential(db, assertion.id)
    if (!passkey || assertion.response.userHandle !== userHandleOf(passkey.userId)) {
      throw new InvalidFactorError('passkey')
    }
    const consume = await verifyPasskey(passkey, assertion, {
      purpose: challengePurposes.passwordless,
      holder: hashSecret(browserId),
    })
    if (!consume) throw new InvalidFactorError('passkey')
    return db.transaction(async tx => {
      if (!(await consume(tx))) throw new InvalidFactorError('passkey')
      return onAuthenticated(tx, { userId: passkey.userId, amr: passwordlessAmr(passkey) })
    })
  }

  /** Removes every second factor of the user. Returns false if there was none. */
  async function deleteAllFactors(tx: Transaction, userId: string, request?: RequestInfo): Promise<boolean> {
    await store.deleteMfaTickets(tx, userId)
    const removed = await store.deleteAllFactors(tx, userId)
    if (removed) await securityLog.record(tx, { userId, kind: 'SECOND_FACTOR_RESET', request })
    return removed
  }

  /** Like `deleteAllFactors`, and sends a mail about it. Sessions remain. */
  async function removeAllFactors(tx: Transaction, userId: string): Promise<boolean> {
    if (!(await deleteAllFactors(tx, userId))) return false
    const user = await findUser(tx, userId)
    tx.afterCommit(() => {
      // A mail is never rejected.
      if (user) void sendMail(user, 'allRemoved')
    })
    return true
  }

  return {
    createMfaTicket,
    findMfaTicket,
    createMfaOptions,
    createPasskeyLoginOptions,
    useFactor,
    completeMfa,
    completePasskeyLogin,
    /** For a changed password: logins that used the old one cannot be completed. */
    revokeMfaTickets: store.deleteMfaTickets,
    hasFactor: async (userId: string) => methodsOf(await store.countFactors(db, userId)).length > 0,
    deleteAllFactors,
    removeAllFactors,
  }
}

interface MfaResponse {
  ticket: string
  browserId: string
  response: FactorResponse
  request: RequestInfo
}

/** In the order in which a client offers them. Recovery codes alone are not a second factor. */
function methodsOf({ passkeys, totp, recoveryCodes }: store.FactorCounts): SecondFactorMethod[] {
  if (passkeys === 0 && !totp) return []
  return [
    ...(passkeys > 0 ? (['passkey'] as const) : []),
    ...(totp ? (['totp'] as const) : []),
    ...(recoveryCodes > 0 ? (['recovery_code'] as const) : []),
  ]
}

function ticketExpired(): AppError {
  return new LocalizedError('unauthenticated', 'error.signInExpired')
}

/** Deletes expired tickets and challenges, and TOTP secrets that were not confirmed in time. */
export async function sweepSecondFactors(db: Database, clock: Clock): Promise<void> {
  const setUpBefore = () => clock() - limits.recentProofSeconds * 1000
  await inBatches(limit => store.deleteExpiredMfaTickets(db, clock(), limit))
  await inBatches(limit => store.deleteExpiredChallenges(db, clock(), limit))
  await inBatches(limit => store.deletePendingTotp(db, setUpBefore(), limit))
}
