import { isJsonObject } from '@gatehouse/protocol/json-object'
import type { UserRateName } from '@gatehouse/protocol/limits'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import type { Caller } from './caller.ts'

/**
 * Returns a function that counts a request towards the rates of its route (limits/rates) and throws 429 `rate_limited`.
 * Undefined for a route without rates.
 */
export function createRateCheck(
  rateLimiter: RateLimiter,
  names: readonly UserRateName[],
): ((caller: Caller | undefined, params: unknown) => Promise<void>) | undefined {
  if (names.length === 0) return undefined
  const windows = names.map(name => ({ name, window: rateLimiter.window(name) }))
  return async (caller, params) => {
    if (caller === undefined) return
    for (const { name, window } of windows) {
      if (name === 'messages' && caller.kind === 'bot') continue
      const channelId = name === 'channelMessages' && isJsonObject(params) ? ` ${params.id}` : ''
      await window.check(`${caller.userId}${channelId}`)
    }
  }
}
