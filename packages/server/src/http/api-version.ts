import type { FastifyRequest } from 'fastify'

// Programs that were written for Discord have the version of its API in the path. No other API has versions.
const versionInPath = /^\/api\/v([^/?#]*)(?=\/webhooks\/)/

/** The URL by which a request is routed: `/api/v10/webhooks/…` is `/api/webhooks/…` (webhooks/discord-format). */
export function withoutApiVersion(url: string): string {
  return url.replace(versionInPath, '/api')
}

/** `10` for `/api/v10/webhooks/…`; undefined without a version. */
export function apiVersionOf(request: FastifyRequest): string | undefined {
  return versionInPath.exec(request.originalUrl)?.[1]
}
