import type { Clock } from '../kit/clock.ts'
import { ipRateLimitKey } from '../kit/ip.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import { createSlidingWindow } from '../rate-limits/sliding-window.ts'
import { rateLimited } from './discord/discord-errors.ts'

/** Posts are limited separately from edits and deletions of messages and of the webhook (webhooks/rate-limit). */
export type WebhookRateName = 'posts' | 'edits'

export type NotFoundLimit = ReturnType<typeof createNotFoundLimit>

export type WebhookRateLimits = ReturnType<typeof createWebhookRateLimits>

export function createWebhookRateLimits({ rateLimiter, clock }: { rateLimiter: RateLimiter; clock: Clock }) {
  const windows = { posts: rateLimiter.window('webhookPosts'), edits: rateLimiter.window('webhookEdits') }
  return { windows, ...createNotFoundLimit({ rateLimiter, clock }) }
}

/** Limits the requests of an IP address that try ids and tokens (webhooks/unknown-webhook-limit). */
export function createNotFoundLimit({ rateLimiter, clock }: { rateLimiter: RateLimiter; clock: Clock }) {
  const notFoundResponses = rateLimiter.window('webhookNotFound')
  const blockedIps = createBlockedKeys(clock, notFoundResponses.rate.seconds * 1000)

  function blockIfFull(key: string): void {
    if (notFoundResponses.peek(key).remaining === 0) blockedIps.block(key)
  }

  function checkNotFoundLimit(ip: string): void {
    const key = ipRateLimitKey(ip)
    // Other nodes may have counted the last responses.
    blockIfFull(key)
    const blockedMs = blockedIps.blockedForMs(key)
    if (blockedMs > 0) {
      throw rateLimited(blockedMs, notFoundResponses.exceeded({ resetAfterMs: blockedMs }))
    }
  }

  async function recordNotFound(ip: string): Promise<void> {
    const key = ipRateLimitKey(ip)
    await notFoundResponses.hit(key)
    blockIfFull(key)
  }

  return {
    /** Throws `rate_limited` for a minute after 300 responses of 404 in a minute (webhooks/unknown-webhook-limit). */
    checkNotFoundLimit,
    /** Counts a 404 response. */
    recordNotFound,
    /** Both, for a request that is refused before a route runs. */
    async countNotFound(ip: string): Promise<void> {
      checkNotFoundLimit(ip)
      await recordNotFound(ip)
    },
  }
}

/** Keys that are blocked for `durationMs`. To block a key again does not extend the time. */
function createBlockedKeys(clock: Clock, durationMs: number) {
  // A window in which one hit reaches the limit.
  const window = createSlidingWindow({ clock, limit: 1, windowMs: durationMs })
  return {
    block(key: string): void {
      window.hit(key)
    },
    /** 0 if the key is not blocked. */
    blockedForMs: (key: string): number => window.peek(key).retryAfterMs,
  }
}
