import * as limits from '@gatehouse/protocol/limits'
import { LocalizedError } from '../../i18n/localized-error.ts'
import type { RateLimiter } from '../../kit/rate-limiter.ts'

/** The number of accounts that are counted. The window drops the count of an evicted account. */
const MAX_KEYS = 100_000

/** Limits wrong codes per account, for an attacker who has the password (sign-in/client-guessing). Counts per process. */
export interface CodeLimits {
  /**
   * Counts a wrong code. Call it before the comparison, so that concurrent attempts count too, and `undo` if the code was
   * not wrong. Throws `rate_limited`.
   */
  countWrongCode(userId: string): { undo(): void }
}

export function createCodeLimits(rateLimiter: RateLimiter): CodeLimits {
  const window = rateLimiter.createWindow({
    limit: limits.wrongCodesPerAccount,
    windowMs: limits.wrongCodeWindowSeconds * 1000,
    maxKeys: MAX_KEYS,
  })
  return {
    countWrongCode(userId) {
      const { allowed, retryAfterMs } = window.hit(userId)
      if (!allowed) {
        const retryAfter = Math.ceil(retryAfterMs / 1000)
        const params = { count: Math.ceil(retryAfter / 60) }
        throw new LocalizedError('rate_limited', 'error.tooManyCodes', { params, retryAfter })
      }
      return { undo: () => window.undo(userId) }
    },
  }
}
