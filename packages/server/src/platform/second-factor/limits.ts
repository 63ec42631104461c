import * as limits from '@gatehouse/protocol/limits'
import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import { createSlidingWindow } from '../../kit/sliding-window.ts'

/** Accounts remembered; one that is forgotten is counted from nothing again. */
const MAX_KEYS = 100_000

/** How often somebody who has the password may guess the code (D75). Counted by this process. */
export interface CodeLimits {
  /**
   * Counts a code that is about to be compared as wrong, before it is: tries at the same moment count each. Throws
   * `rate_limited`.
   */
  begin(userId: string): { wasNotWrong(): void }
}

export function createCodeLimits(clock: Clock): CodeLimits {
  const window = createSlidingWindow({
    clock,
    limit: limits.wrongCodesPerAccount,
    windowMs: limits.wrongCodeWindowSeconds * 1000,
    maxKeys: MAX_KEYS,
  })
  return {
    begin(userId) {
      const { allowed, retryAfterMs } = window.hit(userId)
      if (!allowed) throw tooOften(retryAfterMs)
      return { wasNotWrong: () => window.undo(userId) }
    },
  }
}

/** `RATE_LIMITS=off`. */
export function createNoCodeLimits(): CodeLimits {
  return { begin: () => ({ wasNotWrong() {} }) }
}

function tooOften(retryAfterMs: number): AppError {
  const retryAfter = Math.ceil(retryAfterMs / 1000)
  const minutes = Math.ceil(retryAfter / 60)
  const message = `Too many wrong codes. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
  return new AppError('rate_limited', message, { retryAfter })
}
