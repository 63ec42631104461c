import type { AppError } from '../../errors/app-error.ts'
import type { Key } from '../../i18n/en.ts'
import { LocalizedError, rateLimited } from '../../i18n/localized-error.ts'
import { ipRateLimitKey } from '../../kit/ip.ts'
import type { RateLimiter, RateWindow } from '../../rate-limits/rate-limiter.ts'
import { loginKey } from './user.ts'
import type { UserRecord } from './user-store.ts'

/** Counts by what was entered, so that the limit does not show which username and email address belong together. */
export function loginAccount(login: string): string {
  return `login ${loginKey(login)}`
}

/** For a signed-in user who confirms their password. */
export function userAccount(userId: string): string {
  return `user ${userId}`
}

export type AccountLimits = ReturnType<typeof createAccountLimits>

/** Limits for guessing attacks, sign-ins and mail floods (limits/rates, sign-in/password-guessing). */
export function createAccountLimits(rateLimiter: RateLimiter) {
  const wrongPasswords = rateLimiter.window('wrongPasswords')
  const wrongPasswordsOfAddress = rateLimiter.window('wrongPasswordsOfAddress')
  const wrongPasswordsOfAccount = rateLimiter.window('wrongPasswordsOfAccount')
  const confirmations = rateLimiter.window('passwordConfirmations')
  const signIns = rateLimiter.window('signIns')
  const registrations = rateLimiter.window('registrations')
  const mails = rateLimiter.window('mails')
  const mailRequests = rateLimiter.window('mailRequests')

  /** Throws `rate_limited`. */
  async function check(window: RateWindow, key: string, message: Key): Promise<void> {
    const { allowed, retryAfterMs } = await window.hit(key)
    if (!allowed) throw rateLimited(message, retryAfterMs)
  }

  return {
    /**
     * Counts a wrong password. Call it before the comparison, so that concurrent attempts count too, and `undo` if the
     * password was not wrong. A known device is exempt from the limit per account over all IP addresses. Throws
     * `rate_limited`.
     */
    async countWrongPassword({
      account,
      ip,
      isKnownDevice,
    }: PasswordAttempt): Promise<{ undo(): Promise<void> }> {
      const ipKey = ipRateLimitKey(ip)
      const counted = [
        { window: wrongPasswords, key: `${account} ${ipKey}` },
        { window: wrongPasswordsOfAddress, key: ipKey },
        ...(isKnownDevice ? [] : [{ window: wrongPasswordsOfAccount, key: account }]),
      ]
      const results = await Promise.all(
        counted.map(async ({ window, key }) => ({ window, key, ...(await window.hit(key)) })),
      )
      const undo = async () => {
        const hits = results.filter(({ allowed }) => allowed)
        await Promise.all(hits.map(({ window, key }) => window.undo(key)))
      }
      if (results.some(({ allowed }) => !allowed)) {
        // An attempt that one limit rejects does not count for the others.
        await undo()
        throw rateLimited('error.tooManyPasswords', Math.max(...results.map(result => result.retryAfterMs)))
      }
      return { undo }
    },
    /**
     * Counts a correct or wrong `currentPassword`, or a new password by mail, before it is hashed
     * (limits/password-confirmations). Throws `rate_limited`.
     */
    countConfirmation: (userId: string, by: 'session' | 'mail') =>
      check(confirmations, `${by} ${userId}`, 'error.tooManyConfirmations'),
    /** For a user who has proved their identity in another way: resets the counts for this IP address. */
    async resetWrongPasswords(
      { id, username, email }: Pick<UserRecord, 'id' | 'username' | 'email'>,
      ip: string,
    ): Promise<void> {
      const accounts = [
        userAccount(id),
        loginAccount(username),
        ...(email === null ? [] : [loginAccount(email)]),
      ]
      await Promise.all(accounts.map(account => wrongPasswords.reset(`${account} ${ipRateLimitKey(ip)}`)))
    },
    /**
     * Counts a sign-in. Call it before the credentials are checked, and `undo` if they are wrong. Throws
     * `rate_limited`.
     */
    async countSignIn(ip: string): Promise<{ undo(): Promise<void> }> {
      const key = ipRateLimitKey(ip)
      await check(signIns, key, 'error.tooManySignInsFromAddress')
      return { undo: () => signIns.undo(key) }
    },
    /** Throws `rate_limited`. */
    countRegistration: (ip: string) => check(registrations, ipRateLimitKey(ip), 'error.tooManyAccounts'),
    /** Returns false if the account has reached the limit of mails per hour. */
    countMail: async (userId: string): Promise<boolean> => (await mails.hit(userId)).allowed,
    /** Counts a request that sends a mail, whether or not the account exists. Throws `rate_limited`. */
    countMailRequest: (ip: string) => check(mailRequests, ipRateLimitKey(ip), 'error.tooManyMailRequests'),
    /** 429 `rate_limited`. `retryAfter` is the whole period, whenever the first mail was sent. */
    tooManyMails: (): AppError =>
      new LocalizedError('rate_limited', 'error.tooManyMails', { retryAfter: mails.rate.seconds }),
  }
}

export interface PasswordAttempt {
  /** `loginAccount` or `userAccount`. */
  account: string
  ip: string
  isKnownDevice: boolean
}
