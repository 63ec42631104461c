import type { Clock } from './clock.ts'
import { createSlidingWindow, type SlidingWindow, type SlidingWindowOptions } from './sliding-window.ts'

/** Creates the windows of all rate limits. This is the only code that knows whether they are enabled. */
export interface RateLimiter {
  readonly enabled: boolean
  /** If rate limits are disabled, the window allows every hit. */
  createWindow(options: Omit<SlidingWindowOptions, 'clock'>): SlidingWindow
}

export function createRateLimiter({ clock, enabled }: { clock: Clock; enabled: boolean }): RateLimiter {
  return {
    enabled,
    createWindow: options =>
      enabled ? createSlidingWindow({ clock, ...options }) : createUnlimitedWindow(options.limit),
  }
}

function createUnlimitedWindow(limit: number): SlidingWindow {
  const allow = () => ({ allowed: true, remaining: limit, retryAfterMs: 0, resetAfterMs: 0 })
  return { hit: allow, peek: allow, undo() {}, size: 0 }
}
