import { join } from 'node:path'
import type { Logger } from '../http/log.ts'
import type { Route } from '../http/route.ts'
import type { Clock } from '../kit/clock.ts'
import type { Outgoing } from '../outgoing/index.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import type { Database } from '../storage/database.ts'
import { cdnRoutes } from './cdn-routes.ts'
import { imageRoutes } from './image-routes.ts'
import { createMediaProxy, createPictureCache, createProxyUrls, type ProxyUrls } from './media-proxy/index.ts'
import { mediaProxyRoute } from './media-proxy/media-proxy-routes.ts'

interface ImagesDeps {
  db: Database
  clock: Clock
  rateLimiter: RateLimiter
  outgoing: Pick<Outgoing, 'get'>
  /** Signs the URLs of external pictures. */
  secretKey: Uint8Array
  /** The folder of the cache of external pictures, and how many bytes it may have. */
  cacheDir: string
  maxCacheBytes: number
  logger: Pick<Logger, 'error'>
}

export function createImagesModule(deps: ImagesDeps): { api: { proxyUrls: ProxyUrls }; routes: Route[] } {
  const { db, clock, rateLimiter, outgoing, logger } = deps
  const proxyUrls = createProxyUrls(deps.secretKey)
  const cache = createPictureCache({
    clock,
    folder: join(deps.cacheDir, 'gatehouse-pictures'),
    maxBytes: deps.maxCacheBytes,
    onError: err => logger.error({ err }, 'the cache of external pictures failed'),
  })
  const mediaProxy = createMediaProxy({ clock, outgoing, rateLimiter, cache, proxyUrls })
  return {
    api: { proxyUrls },
    routes: [...imageRoutes({ db }), ...cdnRoutes({ db }), mediaProxyRoute({ mediaProxy })],
  }
}
