import { webhookNotFoundResponsesPerMinute, webhookPosts, webhookWindowMs } from '@gatehouse/protocol/limits'
import type { KeyValueStore } from '../bus/bus.ts'
import type { Clock } from '../kit/clock.ts'
import { ipRateLimitKey } from '../kit/ip.ts'
import type { RateLimiter } from '../kit/rate-limiter.ts'
import type { RateLimitResult, SlidingWindow } from '../kit/sliding-window.ts'
import { createClusterSlidingWindow } from './cluster-sliding-window.ts'
import { rateLimited } from './errors.ts'

/** Creating messages is limited separately from editing and deleting (webhooks/rate-limit). */
export type RateLimitBucket = 'posts' | 'edits'

export type WebhookRateLimits = ReturnType<typeof createWebhookRateLimits>

const minuteMs = 60_000
const maxKeys = 100_000

/** `kv`: if defined, all nodes of the cluster count together. The clock is for the window that they share. */
export function createWebhookRateLimits({
  clock,
  rateLimiter,
  kv,
}: {
  clock: Clock
  rateLimiter: RateLimiter
  kv: KeyValueStore | undefined
}) {
  const createWindow = (limit: number, windowMs: number) =>
    rateLimiter.createWindow({ limit, windowMs, maxKeys })
  const windows: Record<RateLimitBucket, SlidingWindow> = {
    posts: createWindow(webhookPosts, webhookWindowMs),
    edits: createWindow(webhookPosts, webhookWindowMs),
  }
  const clusterWindow =
    rateLimiter.enabled &&
    kv &&
    createClusterSlidingWindow({ clock, kv, limit: webhookPosts, windowMs: webhookWindowMs })
  const notFoundResponses = createWindow(webhookNotFoundResponsesPerMinute, minuteMs)
  const blockedIps = createWindow(1, minuteMs)

  return {
    /** Counts a request with a valid token, unless it exceeds the limit (webhooks/rate-limit). */
    async hit(webhookId: string, bucket: RateLimitBucket): Promise<RateLimitResult> {
      // The local window saves a round trip if this node alone has reached the limit.
      const local = windows[bucket].hit(webhookId)
      if (!local.allowed || !clusterWindow) return local
      const shared = await clusterWindow.hit(`webhook-${bucket}.${webhookId}`)
      if (shared?.allowed === false) windows[bucket].undo(webhookId)
      return shared ?? local
    },
    /** Returns the state without counting. */
    peek: (webhookId: string, bucket: RateLimitBucket) => windows[bucket].peek(webhookId),
    /** Throws `rate_limited` for a minute after 300 responses of 404 in a minute (webhooks/unknown-webhook-limit). */
    checkNotFoundLimit(ip: string): void {
      const { allowed, retryAfterMs } = blockedIps.peek(ipRateLimitKey(ip))
      if (!allowed) throw rateLimited(retryAfterMs)
    },
    /** Counts a 404 response. */
    recordNotFound(ip: string): void {
      const key = ipRateLimitKey(ip)
      notFoundResponses.hit(key)
      if (notFoundResponses.peek(key).remaining === 0) blockedIps.hit(key)
    },
  }
}
