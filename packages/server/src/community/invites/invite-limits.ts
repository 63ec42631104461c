import { AppError } from '../../errors/app-error.ts'
import { ipRateLimitKey } from '../../kit/ip.ts'
import type { RateLimiter } from '../../rate-limits/rate-limiter.ts'

export type InviteLimits = ReturnType<typeof createInviteLimits>

/** Limits how many unknown invite codes an IP address can try. */
export function createInviteLimits(rateLimiter: RateLimiter) {
  const failures = rateLimiter.window('unknownInvites')
  return {
    /** Counts the request if it fails with 404. Throws 429 `rate_limited` if there were too many. */
    async guard<T>(ip: string, request: () => Promise<T>): Promise<T> {
      const key = ipRateLimitKey(ip)
      const { allowed, retryAfterMs } = failures.peek(key)
      if (!allowed) {
        const retryAfter = Math.ceil(retryAfterMs / 1000)
        throw new AppError('rate_limited', 'Too many requests with unknown invite codes.', { retryAfter })
      }
      try {
        return await request()
      } catch (error) {
        if (error instanceof AppError && error.code === 'not_found') await failures.hit(key)
        throw error
      }
    },
  }
}
