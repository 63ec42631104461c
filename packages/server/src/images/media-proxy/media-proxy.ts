import { createHash } from 'node:crypto'
import { maxExternalPictureBytes } from '@gatehouse/protocol/limits'
import { AppError, notFound } from '../../errors/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import { type Outgoing, OutgoingError } from '../../outgoing/index.ts'
import { createKeyedQueue } from '../../rate-limits/keyed-queue.ts'
import type { RateLimiter } from '../../rate-limits/rate-limiter.ts'
import { encodePicture } from '../index.ts'
import type { CachedPicture, PictureCache } from './picture-cache.ts'
import type { ProxyUrls, SignedQuery } from './proxy-urls.ts'

/** For all redirects together. */
const timeoutMs = 5000
const maxRedirects = 3
const redirects = [301, 302, 303, 307, 308]
/** Of the requests to a host, for posters without one in the last minute. */
const reservedShare = 1 / 4

export type MediaProxy = ReturnType<typeof createMediaProxy>

interface Deps {
  clock: Clock
  outgoing: Pick<Outgoing, 'get'>
  rateLimiter: Pick<RateLimiter, 'window'>
  cache: PictureCache
  proxyUrls: Pick<ProxyUrls, 'verify'>
}

/** Fetches, encodes and caches external pictures (webhooks/media-proxy). */
export function createMediaProxy({ clock, outgoing, rateLimiter, cache, proxyUrls }: Deps) {
  const rateOfPoster = rateLimiter.window('externalPictures')
  const rateOfHost = rateLimiter.window('externalPictureHosts')
  // Each one has up to 5 MiB in memory. A reader has several, because a host may be slow.
  const queue = createKeyedQueue({
    ...{ name: 'waitingPictures', limit: 16, limitPerKey: 4, maxWaitingKeys: 100, maxWaitingPerKey: 100 },
  })
  const loading = new Map<string, Promise<CachedPicture>>()

  /**
   * Counts a request to the host. Throws 429 beyond its rate, and beyond the share of the poster: one poster gets no
   * more than is left for all others, and nothing of what is reserved but a first picture. So a few posters together
   * cannot close the host for the pictures of others.
   */
  async function checkHost(host: string, poster: string): Promise<void> {
    const share = `${host} ${poster}`
    const { remaining: unused, resetAfterMs } = rateOfHost.peek(share)
    const used = rateOfHost.rate.count - unused
    const left = rateOfHost.peek(host).remaining - rateOfHost.rate.count * reservedShare
    if (used > 0 && used >= left) {
      const message = 'Too many pictures of this poster from this host.'
      throw new AppError('rate_limited', message, { retryAfter: resetAfterMs / 1000 })
    }
    await rateOfHost.check(host)
    await rateOfHost.hit(share)
  }

  /** Null if the response is not a success. */
  async function download(url: URL, poster: string): Promise<Buffer | null> {
    const deadline = clock() + timeoutMs
    let target = url
    for (let count = 0; count <= maxRedirects; count++) {
      await checkHost(target.hostname, poster)
      const { status, location, body } = await outgoing.get(target, {
        accept: 'image/webp,image/png,image/jpeg,image/gif',
        timeoutMs: Math.max(1, deadline - clock()),
        maxBytes: maxExternalPictureBytes,
      })
      if (status === 200) return body
      const next = redirects.includes(status) ? URL.parse(location ?? '', target.href) : null
      if (next === null) return null
      target = next
    }
    return null
  }

  /** Throws 429 and 503, which say nothing about the picture. Every other failure is null. */
  async function fetchPicture(readerId: string, poster: string, url: URL): Promise<CachedPicture> {
    await rateOfPoster.check(poster)
    try {
      const body = await download(url, poster)
      return body && (await encodePicture(clock, readerId, body))
    } catch (error) {
      if (error instanceof OutgoingError) return null
      if (error instanceof AppError && [400, 413].includes(error.status)) return null
      throw error
    }
  }

  return {
    /**
     * Returns the picture as WebP. Throws 404 if the service did not sign the query or the picture cannot be shown, 429
     * beyond the rates, and 503 if too many readers wait. Readers who want the same picture at the same time share one
     * fetch.
     */
    async open(readerId: string, query: SignedQuery): Promise<Uint8Array> {
      const url = proxyUrls.verify(query)
      if (url === null) throw notFound()
      const key = createHash('sha256').update(url.href).digest('hex')

      const load = async (): Promise<CachedPicture> => {
        const cached = await cache.get(key)
        if (cached !== undefined) return cached
        const picture = await fetchPicture(readerId, query.poster, url)
        await cache.set(key, picture)
        return picture
      }

      /** Must not wait before it adds the promise. */
      function loadOnce(): Promise<CachedPicture> {
        const shared = loading.get(key) ?? load().finally(() => loading.delete(key))
        loading.set(key, shared)
        return shared
      }

      const cached = await cache.get(key)
      const picture = cached === undefined ? await queue.run(clock, readerId, loadOnce) : cached
      if (picture === null) throw notFound()
      return picture
    },
  }
}
