import * as limits from '@gatehouse/protocol/limits'
import { LocalizedError } from '../../i18n/localized-error.ts'
import type { AppError } from '../../kit/app-error.ts'
import { ipRateLimitKey } from '../../kit/ip.ts'
import type { RateLimiter } from '../../kit/rate-limiter.ts'
import type { RateLimitResult } from '../../kit/sliding-window.ts'

const HOUR_MS = 60 * 60 * 1000
/** The number of keys per window. The window drops the count of an evicted key. */
const MAX_KEYS = 100_000

/** Limits for guessing attacks and mail floods (sign-in/client-guessing). Counts per process. */
export interface AccountLimits {
  /**
   * Counts a wrong password. Call it before the comparison, so that concurrent attempts count too, and `undo` if the
   * password was not wrong. A known device is exempt from the limit per account over all IP addresses. Throws
   * `rate_limited`.
   */
  countWrongPassword(attempt: { account: string; ip: string; isKnownDevice: boolean }): { undo(): void }
  /** For a user who has proved their identity in another way: resets the count for the account and this IP address. */
  resetWrongPasswords(account: string, ip: string): void
  /** Throws `rate_limited`. */
  countRegistration(ip: string): void
  /** Returns false if the account has reached the limit of mails per hour. */
  countMail(userId: string): boolean
}

export function createAccountLimits(rateLimiter: RateLimiter): AccountLimits {
  const windowMs = limits.wrongPasswordWindowSeconds * 1000
  const createWindow = (limit: number, ms: number) =>
    rateLimiter.createWindow({ limit, windowMs: ms, maxKeys: MAX_KEYS })
  const perAccountAndIp = createWindow(limits.wrongPasswordsPerAccountAndAddress, windowMs)
  const perIp = createWindow(limits.wrongPasswordsPerAddress, windowMs)
  const perAccount = createWindow(limits.wrongPasswordsPerAccount, windowMs)
  const registrations = createWindow(limits.registrationsPerHour, HOUR_MS)
  const mails = createWindow(limits.mailsPerHour, HOUR_MS)

  return {
    countWrongPassword({ account, ip, isKnownDevice }) {
      const ipKey = ipRateLimitKey(ip)
      const counted = [
        { window: perAccountAndIp, key: `${account} ${ipKey}` },
        { window: perIp, key: ipKey },
        ...(isKnownDevice ? [] : [{ window: perAccount, key: account }]),
      ]
      // Checks every window before it counts in any: a rejected attempt does not count.
      const exceeded = counted.map(({ window, key }) => window.peek(key)).filter(({ allowed }) => !allowed)
      if (exceeded.length > 0) throw rateLimited('error.tooManyPasswords', exceeded)
      for (const { window, key } of counted) window.hit(key)
      return {
        undo() {
          for (const { window, key } of counted) window.undo(key)
        },
      }
    },
    resetWrongPasswords(account, ip) {
      const key = `${account} ${ipRateLimitKey(ip)}`
      for (let i = 0; i < limits.wrongPasswordsPerAccountAndAddress; i++) perAccountAndIp.undo(key)
    },
    countRegistration(ip) {
      const result = registrations.hit(ipRateLimitKey(ip))
      if (!result.allowed) throw rateLimited('error.tooManyAccounts', [result])
    },
    countMail: userId => mails.hit(userId).allowed,
  }
}

function rateLimited(
  key: 'error.tooManyPasswords' | 'error.tooManyAccounts',
  results: readonly RateLimitResult[],
): AppError {
  const retryAfter = Math.ceil(Math.max(...results.map(result => result.retryAfterMs)) / 1000)
  const params = { count: Math.ceil(retryAfter / 60) }
  return new LocalizedError('rate_limited', key, { params, retryAfter })
}

/** `retryAfter` is the whole window, whenever the first mail was sent. */
export function tooManyMails(): AppError {
  return new LocalizedError('rate_limited', 'error.tooManyMails', { retryAfter: HOUR_MS / 1000 })
}
