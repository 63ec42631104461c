import * as limits from '@gatehouse/protocol/limits'
import { LocalizedError, rateLimited } from '../../i18n/localized-error.ts'
import type { AppError } from '../../kit/app-error.ts'
import { ipRateLimitKey } from '../../kit/ip.ts'
import type { RateLimiter } from '../../kit/rate-limiter.ts'

const HOUR_MS = 60 * 60 * 1000

export type AccountLimits = ReturnType<typeof createAccountLimits>

/** Limits for guessing attacks and mail floods (sign-in/client-guessing). Counts per process. */
export function createAccountLimits(rateLimiter: RateLimiter) {
  const windowMs = limits.wrongPasswordWindowSeconds * 1000
  const perAccountAndIp = rateLimiter.createWindow({
    limit: limits.wrongPasswordsPerAccountAndAddress,
    windowMs,
  })
  const perIp = rateLimiter.createWindow({ limit: limits.wrongPasswordsPerAddress, windowMs })
  const perAccount = rateLimiter.createWindow({ limit: limits.wrongPasswordsPerAccount, windowMs })
  const registrations = rateLimiter.createWindow({ limit: limits.registrationsPerHour, windowMs: HOUR_MS })
  const mails = rateLimiter.createWindow({ limit: limits.mailsPerHour, windowMs: HOUR_MS })

  return {
    /**
     * Counts a wrong password. Call it before the comparison, so that concurrent attempts count too, and `undo` if the
     * password was not wrong. A known device is exempt from the limit per account over all IP addresses. Throws
     * `rate_limited`.
     */
    countWrongPassword({ account, ip, isKnownDevice }: PasswordAttempt): { undo(): void } {
      const ipKey = ipRateLimitKey(ip)
      const counted = [
        { window: perAccountAndIp, key: `${account} ${ipKey}` },
        { window: perIp, key: ipKey },
        ...(isKnownDevice ? [] : [{ window: perAccount, key: account }]),
      ]
      // Checks every window before it counts in any: a rejected attempt does not count.
      const exceeded = counted.map(({ window, key }) => window.peek(key)).filter(({ allowed }) => !allowed)
      if (exceeded.length > 0) {
        throw rateLimited('error.tooManyPasswords', Math.max(...exceeded.map(result => result.retryAfterMs)))
      }
      for (const { window, key } of counted) window.hit(key)
      return {
        undo() {
          for (const { window, key } of counted) window.undo(key)
        },
      }
    },
    /** For a user who has proved their identity in another way: resets the count for the account and this IP address. */
    resetWrongPasswords(account: string, ip: string): void {
      const key = `${account} ${ipRateLimitKey(ip)}`
      for (let i = 0; i < limits.wrongPasswordsPerAccountAndAddress; i++) perAccountAndIp.undo(key)
    },
    /** Throws `rate_limited`. */
    countRegistration(ip: string): void {
      const { allowed, retryAfterMs } = registrations.hit(ipRateLimitKey(ip))
      if (!allowed) throw rateLimited('error.tooManyAccounts', retryAfterMs)
    },
    /** Returns false if the account has reached the limit of mails per hour. */
    countMail: (userId: string): boolean => mails.hit(userId).allowed,
  }
}

export interface PasswordAttempt {
  account: string
  ip: string
  isKnownDevice: boolean
}

/** `retryAfter` is the whole window, whenever the first mail was sent. */
export function tooManyMails(): AppError {
  return new LocalizedError('rate_limited', 'error.tooManyMails', { retryAfter: HOUR_MS / 1000 })
}
