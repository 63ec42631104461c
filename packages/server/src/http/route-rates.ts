import { isJsonObject, type JsonObject } from '@gatehouse/protocol/json-object'
import type { UserRateName } from '@gatehouse/protocol/limits'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import { type Caller, limitKeyOf } from './caller.ts'

type RateCheck = (
  caller: Caller | undefined,
  params: unknown,
  body: unknown,
) => Promise<(() => Promise<void>) | undefined>

/**
 * Returns a function that counts a request towards the rates of its route (limits/rates) and throws 429 `rate_limited`.
 * It resolves to a function that removes these hits, for a request whose handler throws `validation_failed`, or to
 * undefined without a caller. Undefined for a route without rates.
 */
export function createRateCheck(
  rateLimiter: RateLimiter,
  names: readonly UserRateName[],
): RateCheck | undefined {
  if (names.length === 0) return undefined
  const windows = names.map(name => ({ name, window: rateLimiter.window(name) }))
  return async (caller, params, body) => {
    if (caller === undefined) return undefined
    const undos: (() => Promise<void>)[] = []
    for (const { name, window } of windows) {
      if (name === 'messages' && caller.kind === 'bot') continue
      // A body of JSON whose other members change.
      if (name === 'images' && isJsonObject(body) && !Buffer.isBuffer(body) && !hasImage(body)) continue
      const channelId = name === 'channelMessages' && isJsonObject(params) ? ` ${params.id}` : ''
      const key = `${limitKeyOf(caller)}${channelId}`
      await window.check(key)
      // An image is decoded to validate it, which costs as much as storing it.
      if (name !== 'images') undos.push(() => window.undo(key))
    }
    return async () => {
      for (const undo of undos) await undo()
    }
  }
}

/** Whether a body of JSON has an `ImageUri`. */
function hasImage({ icon, avatar }: JsonObject): boolean {
  return [icon, avatar].some(value => typeof value === 'string' && value.startsWith('data:'))
}
