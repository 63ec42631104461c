import type { Clock } from '../kit/clock.ts'
import { ipRateLimitKey } from '../kit/ip.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import { createSlidingWindow } from '../rate-limits/sliding-window.ts'
import { rateLimited } from './errors.ts'

/** Posts are limited separately from edits and deletions of messages and of the webhook (webhooks/rate-limit). */
export type WebhookRateName = 'posts' | 'edits'

export type WebhookRateLimits = ReturnType<typeof createWebhookRateLimits>

export function createWebhookRateLimits({ rateLimiter, clock }: { rateLimiter: RateLimiter; clock: Clock }) {
  const windows = { posts: rateLimiter.window('webhookPosts'), edits: rateLimiter.window('webhookEdits') }
  const notFoundResponses = rateLimiter.window('webhookNotFound')
  /** The IP addresses that reached the limit. `hit` blocks an address for a minute, and `peek` tells whether it is blocked. */
  const blockedIps = createSlidingWindow({ clock, limit: 1, windowMs: notFoundResponses.rate.seconds * 1000 })

  function blockIfFull(key: string): void {
    if (notFoundResponses.peek(key).remaining === 0) blockedIps.hit(key)
  }

  return {
    windows,
    /** Throws `rate_limited` for a minute after 300 responses of 404 in a minute (webhooks/unknown-webhook-limit). */
    checkNotFoundLimit(ip: string): void {
      const key = ipRateLimitKey(ip)
      // Other nodes may have counted the last responses.
      blockIfFull(key)
      const { allowed, retryAfterMs } = blockedIps.peek(key)
      if (!allowed) throw rateLimited(retryAfterMs)
    },
    /** Counts a 404 response. */
    async recordNotFound(ip: string): Promise<void> {
      const key = ipRateLimitKey(ip)
      await notFoundResponses.hit(key)
      blockIfFull(key)
    },
  }
}
