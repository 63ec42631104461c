import * as limits from '@gatehouse/protocol/limits'
import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import { addressKey } from '../../kit/ip.ts'
import { createSlidingWindow, type Verdict } from '../../kit/sliding-window.ts'

const HOUR_MS = 60 * 60 * 1000
/** Per window; a key that is forgotten is counted from nothing again. */
const MAX_KEYS = 100_000

/** How often somebody may try (D75). Counted by this process. */
export interface PeopleLimits {
  /**
   * Counts a password that is about to be compared as wrong, before it is: tries at the same moment count each. Throws
   * `rate_limited`. `known` lifts the limit over all addresses, for a browser that the person has used before.
   */
  beginPassword(attempt: { account: string; ip: string; known: boolean }): { wasRight(): void }
  /** The person has shown otherwise who they are: wrong tries from where they are no longer count. */
  forgivePasswords(account: string, ip: string): void
  /** Throws `rate_limited`. */
  countRegistration(ip: string): void
  /** False where the account has had its mails for the hour. */
  countMail(userId: string): boolean
}

export function createPeopleLimits(clock: Clock): PeopleLimits {
  const windowMs = limits.wrongPasswordWindowSeconds * 1000
  const windowOf = (limit: number, ms: number) =>
    createSlidingWindow({ clock, limit, windowMs: ms, maxKeys: MAX_KEYS })
  const perAccountAndAddress = windowOf(limits.wrongPasswordsPerAccountAndAddress, windowMs)
  const perAddress = windowOf(limits.wrongPasswordsPerAddress, windowMs)
  const perAccount = windowOf(limits.wrongPasswordsPerAccount, windowMs)
  const registrations = windowOf(limits.registrationsPerHour, HOUR_MS)
  const mails = windowOf(limits.mailsPerHour, HOUR_MS)

  return {
    beginPassword({ account, ip, known }) {
      const address = addressKey(ip)
      const counted = [
        { window: perAccountAndAddress, key: `${account} ${address}` },
        { window: perAddress, key: address },
        ...(known ? [] : [{ window: perAccount, key: account }]),
      ]
      const refused = counted.map(({ window, key }) => window.peek(key)).filter(({ allowed }) => !allowed)
      if (refused.length > 0) throw tooOften('Too many wrong passwords.', refused)
      for (const { window, key } of counted) window.hit(key)
      return {
        wasRight() {
          for (const { window, key } of counted) window.undo(key)
        },
      }
    },
    forgivePasswords(account, ip) {
      const key = `${account} ${addressKey(ip)}`
      for (let i = 0; i < limits.wrongPasswordsPerAccountAndAddress; i++) perAccountAndAddress.undo(key)
    },
    countRegistration(ip) {
      const verdict = registrations.hit(addressKey(ip))
      if (!verdict.allowed) throw tooOften('Too many new accounts from your address.', [verdict])
    },
    countMail: userId => mails.hit(userId).allowed,
  }
}

/** `RATE_LIMITS=off`. */
export function createNoLimits(): PeopleLimits {
  return {
    beginPassword: () => ({ wasRight() {} }),
    forgivePasswords() {},
    countRegistration() {},
    countMail: () => true,
  }
}

function tooOften(words: string, verdicts: readonly Verdict[]): AppError {
  const retryAfter = Math.ceil(Math.max(...verdicts.map(verdict => verdict.retryAfterMs)) / 1000)
  const minutes = Math.ceil(retryAfter / 60)
  const message = `${words} Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
  return new AppError('rate_limited', message, { retryAfter })
}

/** For a person who asks for one mail too many. The window is an hour; which mail is asked for does not matter. */
export function tooManyMails(): AppError {
  const message = 'You have been sent several mails already. Look for them, or try again in an hour.'
  return new AppError('rate_limited', message, { retryAfter: HOUR_MS / 1000 })
}
