import type { Clock } from './clock.ts'

/**
 * The bucket of all requests of a bot together (limits/requests). Every other bucket is the rate of one kind of
 * request.
 */
export const allRequests = 'requests'

/** The most requests of `allRequests` at the same time. Those of any other bucket are sent one after the other. */
const maxParallel = 20

/** The requests that share one rate limit. */
interface Bucket {
  running: number
  waiting: (() => void)[]
  pausedUntil: number
}

/** The rate limits that responses of the service have reported, so that other requests wait for them too. */
export interface RateLimits {
  /** Resolves when it is the turn of the request, in the order of the calls. `leave` must follow. */
  enter(bucket: string, signal?: AbortSignal): Promise<void>
  leave(bucket: string): void
  /** No request of the bucket is sent for `ms`. */
  pause(bucket: string, ms: number): void
  /** The time from which requests of the bucket may be sent; 0 if there was no pause. */
  pausedUntil(bucket: string): number
}

export function createRateLimits(clock: Clock): RateLimits {
  const buckets = new Map<string, Bucket>()

  function get(name: string): Bucket {
    const bucket = buckets.get(name) ?? { running: 0, waiting: [], pausedUntil: 0 }
    buckets.set(name, bucket)
    return bucket
  }

  return {
    async enter(name, signal) {
      signal?.throwIfAborted()
      const bucket = get(name)
      if (bucket.running < (name === allRequests ? maxParallel : 1)) {
        bucket.running++
        return
      }
      await new Promise<void>((resolve, reject) => {
        function start() {
          signal?.removeEventListener('abort', abort)
          resolve()
        }
        function abort() {
          bucket.waiting.splice(bucket.waiting.indexOf(start), 1)
          reject(signal?.reason)
        }
        bucket.waiting.push(start)
        signal?.addEventListener('abort', abort, { once: true })
      })
    },
    leave(name) {
      const bucket = get(name)
      const next = bucket.waiting.shift()
      if (next) return next()
      bucket.running--
      if (bucket.running === 0 && bucket.pausedUntil <= clock()) buckets.delete(name)
    },
    pause(name, ms) {
      const bucket = get(name)
      bucket.pausedUntil = Math.max(bucket.pausedUntil, clock() + ms)
    },
    pausedUntil: name => buckets.get(name)?.pausedUntil ?? 0,
  }
}
