import type { FastifyRequest } from 'fastify'
import { secretPrefixes } from '../kit/secret.ts'

// Programs that were written for Discord have the version of its API in the path. No other API has versions. The last
// segment of a webhook's path is its token, or for bots that of an interaction (discord/interaction-token). Without a
// token, it is a path of bots.
const versionOfWebhook = new RegExp(
  `^/api/v([^/?#]*)(?=/webhooks/[^/?#]*/(?!${secretPrefixes.discordInteractionToken}))`,
)
const version9 = /^\/api\/v9(?=\/)/

/**
 * The URL by which a request is routed: `/api/v10/webhooks/…` is `/api/webhooks/…` (webhooks/discord-format). Of the
 * API for Discord's bots, version 9 is version 10 (discord/api-versions).
 */
export function withoutApiVersion(url: string): string {
  return url.replace(versionOfWebhook, '/api').replace(version9, '/api/v10')
}

/** `10` for `/api/v10/webhooks/…`; undefined without a version. */
export function apiVersionOf(request: FastifyRequest): string | undefined {
  return versionOfWebhook.exec(request.originalUrl)?.[1]
}

/** Whether the request is for version 9 of the API for Discord's bots. */
export function isVersion9(request: FastifyRequest): boolean {
  return version9.test(request.originalUrl)
}
