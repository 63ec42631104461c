import { LocalizedError, rateLimited } from '../../i18n/localized-error.ts'
import type { RateLimiter } from '../../rate-limits/rate-limiter.ts'

/** 401: the code or passkey is wrong, or was used before. */
export class InvalidFactorError extends LocalizedError {
  constructor(factor: 'code' | 'passkey') {
    super('invalid_credentials', factor === 'code' ? 'error.wrongCode' : 'error.wrongPasskey')
  }
}

/** Limits the wrong codes of one account, for an attacker who has the password (limits/rates). */
export function createCodeLimit(rateLimiter: RateLimiter) {
  const wrongCodes = rateLimiter.window('wrongCodes')

  /** Counts the attempt if it throws `InvalidFactorError`. Throws `rate_limited`. */
  return async function limitCodes<T>(userId: string, attempt: () => Promise<T>): Promise<T> {
    // Counted before the comparison, so that concurrent attempts count too.
    const { allowed, retryAfterMs } = await wrongCodes.hit(userId)
    if (!allowed) throw rateLimited('error.tooManyCodes', retryAfterMs)
    let isWrong = false
    try {
      return await attempt()
    } catch (error) {
      isWrong = error instanceof InvalidFactorError
      throw error
    } finally {
      // Any other error, such as an unavailable database, is not a wrong code.
      if (!isWrong) await wrongCodes.undo(userId)
    }
  }
}
