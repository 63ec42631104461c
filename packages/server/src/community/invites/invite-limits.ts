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
      const result = failures.peek(key)
      if (!result.allowed) {
        throw new AppError('rate_limited', 'Too many requests with unknown invite codes.', {
          retryAfter: Math.ceil(result.retryAfterMs / 1000),
          rate: failures.exceeded(result),
        })
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
