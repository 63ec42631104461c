import { webhookMissesPerMinute, webhookPosts, webhookWindowMs } from '@gatehouse/protocol/limits'
import type { Transient } from '../bus/bus.ts'
import { AppError } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import { addressKey } from '../kit/ip.ts'
import { createSlidingWindow, type SlidingWindow, type Verdict } from '../kit/sliding-window.ts'
import { createSharedWindow } from './shared-window.ts'

/** D42: posts, and edits with deletions, each have a window of their own. */
export type Counted = 'posts' | 'edits'

export interface WebhookLimits {
  /** Counts a request with the right token. */
  hit(webhookId: string, counted: Counted): Promise<Verdict>
  /** How it stands, without counting. */
  peek(webhookId: string, counted: Counted): Verdict
  /** Throws `rate_limited` where the address asked for too much that is not there, a minute long. */
  refuseGuesser(ip: string): void
  /** Counts an answer of 404. */
  missed(ip: string): void
}

interface LimitsDeps {
  clock: Clock
  /** Where several nodes count together; undefined for one that is alone. */
  shared: Transient | undefined
}

const MINUTE_MS = 60_000
const MAX_KEYS = 100_000

export function createWebhookLimits({ clock, shared }: LimitsDeps): WebhookLimits {
  const windowOf = (limit: number, windowMs: number) =>
    createSlidingWindow({ clock, limit, windowMs, maxKeys: MAX_KEYS })
  const windows: Record<Counted, SlidingWindow> = {
    posts: windowOf(webhookPosts, webhookWindowMs),
    edits: windowOf(webhookPosts, webhookWindowMs),
  }
  const together =
    shared && createSharedWindow({ clock, transient: shared, limit: webhookPosts, windowMs: webhookWindowMs })
  const misses = windowOf(webhookMissesPerMinute, MINUTE_MS)
  const guessers = windowOf(1, MINUTE_MS)

  return {
    async hit(webhookId, counted) {
      // What this node alone has seen too often need not be asked of the others.
      const own = windows[counted].hit(webhookId)
      if (!own.allowed || together === undefined) return own
      const all = await together.hit(`webhook-${counted}.${webhookId}`)
      if (all?.allowed === false) windows[counted].undo(webhookId)
      return all ?? own
    },
    peek: (webhookId, counted) => windows[counted].peek(webhookId),
    refuseGuesser(ip) {
      const { allowed, retryAfterMs } = guessers.peek(addressKey(ip))
      if (!allowed) throw tooOften(retryAfterMs)
    },
    missed(ip) {
      const key = addressKey(ip)
      misses.hit(key)
      if (misses.peek(key).remaining === 0) guessers.hit(key)
    },
  }
}

/** `RATE_LIMITS=off`. */
export function createNoWebhookLimits(): WebhookLimits {
  const free: Verdict = { allowed: true, remaining: webhookPosts, retryAfterMs: 0, resetAfterMs: 0 }
  return { hit: async () => free, peek: () => free, refuseGuesser() {}, missed() {} }
}

export function tooOften(retryAfterMs: number): AppError {
  return new AppError('rate_limited', 'You are being rate limited.', { retryAfter: retryAfterMs / 1000 })
}
