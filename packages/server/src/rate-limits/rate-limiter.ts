import { createHash } from 'node:crypto'
import {
  rates as defaultRates,
  maxConcurrentRequests,
  type Rate,
  type RateName,
} from '@gatehouse/protocol/limits'
import type { KeyValueStore } from '../bus/bus.ts'
import { AppError, type ExceededRate } from '../errors/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import { createClusterSlidingWindow } from './cluster-sliding-window.ts'
import type { SharedHits } from './shared-hits.ts'
import { createSlidingWindow, type RateLimitResult } from './sliding-window.ts'
import { createTokenBucket } from './token-bucket.ts'
import { createUserQueue } from './user-queue.ts'

/** The rates with other values than `rates` of the protocol, or `off` for none. */
export type RateLimits = 'off' | Partial<Record<RateName, Rate>>

/** Counts the hits of one rate by key: a user id, an IP address, … */
export interface RateWindow {
  readonly rate: Rate
  /** Counts a hit, unless it exceeds the rate. Concurrent hits count before they resolve. */
  hit(key: string): Promise<RateLimitResult>
  /** Like `hit`, and throws 429 `rate_limited`. */
  check(key: string): Promise<void>
  /** The result of `hit`, without counting one. It does not know the hits of other nodes if the rate is exact. */
  peek(key: string): RateLimitResult
  /** Removes the newest hit: a caller that counts only failures calls it after a success. */
  undo(key: string): Promise<void>
  /** Removes all hits. */
  reset(key: string): Promise<void>
  /** What the error of a request beyond the rate tells. */
  exceeded(result: Pick<RateLimitResult, 'resetAfterMs'>): ExceededRate
}

/** The rates with a burst of twice their count, whose hits have a cost. The others are sliding windows. */
type BucketName = 'requests' | 'responses' | 'ephemeralKibibytes'

/**
 * The longest period of an exact rate with several nodes. The store of their shared windows keeps a value for a minute
 * more.
 */
export const maxExactSeconds = 900

/** Requests, of which each counts as one or more. */
export interface RequestBucket {
  readonly rate: Rate
  /** Counts a request. Throws 429 `rate_limited`. */
  check(key: string): void
  /** Counts more requests, or fewer if negative. Never throws. */
  add(key: string, count: number): void
  /** Throws 429 `rate_limited` if `add` counted more requests than the rate allows. Counts nothing. */
  checkOwed(key: string): void
}

/** Owns all rate limits (limits/rates), but not the limit of gateway frames. */
export interface RateLimiter {
  window(name: Exclude<RateName, BucketName>): RateWindow
  /** Counts a request by `limitKeyOf` its caller. Throws 429 `rate_limited`. */
  checkRequest(key: string): void
  /** Counts a request whose work was large as more requests, after it was handled. Never throws. */
  addRequests(key: string, count: number): void
  /** Throws 429 `rate_limited` if `addRequests` counted more requests than the rate allows. Counts nothing. */
  checkOwed(key: string): void
  /** The requests with tokens of interactions, by the id of the application (limits/responses). */
  readonly responses: RequestBucket
  /** Counts an ephemeral message of a bot. Throws 429 `rate_limited` if those before it exceeded the rate. */
  checkEphemeral(applicationId: string, kibibytes: number): void
  /**
   * Runs `handle` when fewer than `maxConcurrentRequests` of the user run on this node (limits/concurrent-requests). If
   * the request had to wait, first rejects like `checkOwed`: what the others cost is known only when they have been
   * handled.
   */
  runInQueue<T>(key: string, handle: (hasWaited: boolean) => Promise<T>): Promise<T>
}

/**
 * Rates that attackers must not exceed by using several nodes at the same time, and those of webhooks, which clients
 * see in headers. They cost some requests to NATS per hit. Client secrets are not among them: their 256 random bits
 * cannot be guessed, with one node or with several.
 */
export const exactRates: readonly RateName[] = [
  'wrongPasswords',
  'wrongPasswordsOfAddress',
  'wrongPasswordsOfAccount',
  'wrongCodes',
  'webhookPosts',
  'webhookEdits',
]

interface Options {
  clock: Clock
  limits: RateLimits
  /** With it, all nodes of the cluster count together. */
  cluster?: { kv: KeyValueStore; hits: SharedHits } | undefined
}

export function createRateLimiter(options: Options): RateLimiter {
  const { limits } = options
  return limits === 'off' ? createUnlimited() : createLimited({ ...options, limits })
}

function createLimited({
  clock,
  limits,
  cluster,
}: Options & { limits: Exclude<RateLimits, 'off'> }): RateLimiter {
  const rateOf = (name: RateName): Rate => limits[name] ?? defaultRates[name]
  const buckets = {
    requests: createTokenBucket({ clock, rate: rateOf('requests') }),
    responses: createTokenBucket({ clock, rate: rateOf('responses') }),
    ephemeralKibibytes: createTokenBucket({ clock, rate: rateOf('ephemeralKibibytes') }),
  }
  const userQueue = createUserQueue(maxConcurrentRequests)
  const localWindows = new Map<RateName, ReturnType<typeof createSlidingWindow>>()
  cluster?.hits.listen((name, key, count) => {
    if (isBucket(name)) buckets[name].add(key, count)
    else localWindow(name).add(key, count)
  })

  function localWindow(name: RateName) {
    const { count, seconds } = rateOf(name)
    const window =
      localWindows.get(name) ?? createSlidingWindow({ clock, limit: count, windowMs: seconds * 1000 })
    localWindows.set(name, window)
    return window
  }

  function window(name: RateName): RateWindow {
    const rate = rateOf(name)
    const local = localWindow(name)
    const kv = exactRates.includes(name) ? cluster?.kv : undefined
    const exact =
      kv && createClusterSlidingWindow({ clock, kv, limit: rate.count, windowMs: rate.seconds * 1000 })
    /** A key of the key-value store has a restricted syntax, and must not show what the user entered. */
    const clusterKey = (key: string) => `rate.${name}.${createHash('sha256').update(key).digest('base64url')}`

    async function hit(key: string): Promise<RateLimitResult> {
      // The local window saves a round trip if this node alone has reached the limit.
      const result = local.hit(key)
      if (!result.allowed) return result
      if (!exact) {
        cluster?.hits.record(name, key, 1)
        return result
      }
      const shared = await exact.hit(clusterKey(key))
      if (shared?.allowed === false) local.undo(key)
      return shared ?? result
    }

    return {
      rate,
      hit,
      async check(key) {
        throwIfExceeded(name, await hit(key))
      },
      peek: key => local.peek(key),
      exceeded: result => describe(name, result),
      async undo(key) {
        local.undo(key)
        if (exact) await exact.undo(clusterKey(key))
        else cluster?.hits.record(name, key, -1)
      },
      async reset(key) {
        const { remaining } = local.peek(key)
        local.reset(key)
        await exact?.reset(clusterKey(key))
        // The windows of the other nodes have hits that this one does not know if the rate is exact.
        cluster?.hits.record(name, key, exact ? -rate.count : remaining - rate.count)
      },
    }
  }

  function describe(name: RateName, { resetAfterMs }: Pick<RateLimitResult, 'resetAfterMs'>): ExceededRate {
    return { name, count: rateOf(name).count, resetAfterMs, at: clock() }
  }

  function throwIfExceeded(name: RateName, result: RateLimitResult, things = 'requests'): void {
    if (result.allowed) return
    const { count, seconds } = rateOf(name)
    const period = seconds === 1 ? 'second' : `${seconds} seconds`
    throw new AppError(
      'rate_limited',
      `Too many ${things}: at most ${count} per ${period} are accepted here.`,
      { retryAfter: result.retryAfterMs / 1000, rate: describe(name, result) },
    )
  }

  function throwIfOwing(name: BucketName, key: string): void {
    const things = name === 'ephemeralKibibytes' ? 'KiB of ephemeral messages' : 'requests'
    throwIfExceeded(name, buckets[name].peek(key), things)
  }

  function add(name: BucketName, key: string, count: number): void {
    if (count === 0) return
    buckets[name].add(key, count)
    cluster?.hits.record(name, key, count)
  }

  function check(name: BucketName, key: string): void {
    throwIfExceeded(name, buckets[name].hit(key))
    cluster?.hits.record(name, key, 1)
  }

  return {
    window,
    responses: {
      rate: rateOf('responses'),
      check: key => check('responses', key),
      add: (key, count) => add('responses', key, count),
      checkOwed: key => throwIfOwing('responses', key),
    },
    checkOwed: key => throwIfOwing('requests', key),
    runInQueue: (key, handle) =>
      userQueue.run(key, async hasWaited => {
        if (hasWaited) throwIfOwing('requests', key)
        return await handle(hasWaited)
      }),
    checkRequest: key => check('requests', key),
    addRequests: (key, count) => add('requests', key, count),
    checkEphemeral(applicationId, kibibytes) {
      throwIfOwing('ephemeralKibibytes', applicationId)
      add('ephemeralKibibytes', applicationId, kibibytes)
    },
  }
}

function isBucket(name: RateName): name is BucketName {
  return name === 'requests' || name === 'responses' || name === 'ephemeralKibibytes'
}

function createUnlimited(): RateLimiter {
  return {
    window(name) {
      const rate = defaultRates[name]
      const result = { allowed: true, remaining: rate.count, retryAfterMs: 0, resetAfterMs: 0 }
      return {
        rate,
        hit: async () => result,
        async check() {},
        peek: () => result,
        exceeded: ({ resetAfterMs }) => ({ name, count: rate.count, resetAfterMs, at: 0 }),
        async undo() {},
        async reset() {},
      }
    },
    checkRequest() {},
    addRequests() {},
    checkOwed() {},
    responses: { rate: { count: Number.MAX_SAFE_INTEGER, seconds: 1 }, check() {}, add() {}, checkOwed() {} },
    checkEphemeral() {},
    runInQueue: (_key, handle) => handle(false),
  }
}
