import { Id } from '@gatehouse/protocol/ids'
import { isJsonObject } from '@gatehouse/protocol/json-object'
import {
  maxDeliveryBodyBytes,
  maxDeliveryContentType,
  maxDeliveryErrors,
  type Rate,
} from '@gatehouse/protocol/limits'
import type { WebhookDelivery } from '@gatehouse/protocol/webhooks'
import { openObject, string } from '@gatehouse/protocol/wire'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppError } from '../errors/app-error.ts'
import { apiVersionOf } from '../http/api-version.ts'
import type { Clock } from '../kit/clock.ts'
import type { RateLimitResult } from '../rate-limits/sliding-window.ts'
import type { Deliveries } from './deliveries.ts'
import { rateLimited, unknownApiVersion, unknownWebhook } from './discord/discord-errors.ts'
import type { WebhookRateLimits, WebhookRateName } from './webhook-rate-limits.ts'
import type { WebhookRecord } from './webhook-store.ts'
import type { WebhookTokens } from './webhook-tokens.ts'

/** The parameters of the path of a webhook URL. A malformed id or token is treated as unknown (404). */
export const TokenParams = openObject({ id: Id, token: string('The token of the webhook.') })

/** The versions of Discord's API that programs use. The formats of the webhooks are the same in all. */
const apiVersions = ['6', '7', '8', '9', '10']

/** The member `route` of the delivery log. The value `message` is the route in Discord's format. */
type DeliveryRoute = WebhookDelivery['route']

/** The reason in the log, which does not say more than `find` may (webhooks/unknown-webhook). */
const noMatch = 'no webhook has this id and token'

export type WebhookGuard = ReturnType<typeof createWebhookGuard>

/** The hooks of every route with a token in its path: authentication, rate limits and the delivery log. */
export function createWebhookGuard({
  tokens,
  rateLimits,
  deliveries,
  clock,
}: {
  tokens: Pick<WebhookTokens, 'find'>
  rateLimits: WebhookRateLimits
  deliveries: Pick<Deliveries, 'record'>
  clock: Clock
}) {
  const { windows } = rateLimits
  const authenticated = new WeakMap<FastifyRequest, WebhookRecord>()
  const messageIds = new WeakMap<FastifyRequest, string>()

  /** The webhook that `checkTokenAndRate` found. */
  function requireWebhook(request: FastifyRequest): WebhookRecord {
    const webhook = authenticated.get(request)
    if (webhook === undefined) throw new Error('The route does not use the hook `checkTokenAndRate`.')
    return webhook
  }

  /** For `onErrorResponse` of a route: counts 404 responses (webhooks/unknown-webhook-limit). */
  function countNotFound(request: FastifyRequest, _error: AppError, status: number): void {
    if (status === 404) void rateLimits.recordNotFound(request.ip)
  }

  return {
    /**
     * A `beforeBody` hook: rejects an unknown webhook first, then applies the rate limit and sets its headers, then
     * rejects an unknown version of Discord's API, all before the body is read (webhooks/order-of-checks). Without
     * `rateName` the request is not counted, and the headers show the rate of posts.
     */
    checkTokenAndRate:
      (rateName?: WebhookRateName) =>
      async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
        const { id, token } = readCredentials(request)
        const webhook = await tokens.find(id, token)
        if (webhook === undefined) {
          rateLimits.checkNotFoundLimit(request.ip)
          // `countNotFound` counts the 404.
          throw unknownWebhook(noMatch)
        }
        authenticated.set(request, webhook)
        const window = windows[rateName ?? 'posts']
        const result = rateName === undefined ? window.peek(id) : await window.hit(id)
        reply.headers(rateLimitHeaders(window.rate, result, `${id}-${rateName ?? 'posts'}`, clock()))
        if (rateName !== undefined && !result.allowed) {
          // twilight-http reads the other headers only if this one is present. Without it, it retries immediately.
          reply.header('x-ratelimit-scope', 'user')
          throw rateLimited(result.retryAfterMs)
        }
        const version = apiVersionOf(request)
        if (version !== undefined && !apiVersions.includes(version)) throw unknownApiVersion(apiVersions)
      },

    /**
     * Responds 404 for an unknown webhook. For another method of a known webhook it sets the rate limit headers, and
     * the 405 follows.
     */
    async onUnrouted(
      request: FastifyRequest,
      reply: FastifyReply,
      // Empty if no route has the path.
      { id, token = '' }: Readonly<Record<string, string>>,
    ): Promise<void> {
      if (id === undefined) {
        // The error says that there is no such path, whether or not the webhook exists.
        await rateLimits.countNotFound(request.ip)
        return
      }
      if ((await tokens.find(id, token)) === undefined) {
        // `onErrorResponse` does not run, because the request matches no route.
        await rateLimits.countNotFound(request.ip)
        throw unknownWebhook(noMatch)
      }
      const { posts } = windows
      reply.headers(rateLimitHeaders(posts.rate, posts.peek(id), `${id}-posts`, clock()))
    },

    requireWebhook,

    countNotFound,

    /** For the delivery log, if the request fails after it created a message. */
    setMessageId: (request: FastifyRequest, id: string): void => void messageIds.set(request, id),

    /**
     * For `onErrorResponse` of a route that posts: like `countNotFound`, and adds the request to the delivery log,
     * unless its URL was replaced while the body arrived (404).
     */
    logFailure:
      (deliveryRoute: DeliveryRoute) =>
      (request: FastifyRequest, error: AppError, status: number): void => {
        countNotFound(request, error, status)
        const webhook = authenticated.get(request)
        if (webhook === undefined || status === 404) return
        const fields = (error.errors ?? []).slice(0, maxDeliveryErrors)
        const errors = fields.map(({ path, message }) => ({ field: path, reason: message }))
        deliveries.record(webhook.id, {
          route: deliveryRoute,
          status,
          messageId: messageIds.get(request) ?? null,
          reason: errors[0]?.reason ?? error.message,
          field: errors[0]?.field || null,
          errors,
          ...readBodyExcerpt(request),
        })
      },

    /** Adds an accepted request to the delivery log, with the id of its message, or the reason why it creates none. */
    logSuccess(
      request: FastifyRequest,
      deliveryRoute: DeliveryRoute,
      status: number,
      result: Pick<WebhookDelivery, 'messageId' | 'reason'>,
    ): void {
      const webhook = authenticated.get(request)
      if (webhook === undefined) return
      deliveries.record(webhook.id, {
        route: deliveryRoute,
        status,
        ...result,
        field: null,
        errors: [],
        ...noBody,
      })
    },
  }
}

function readCredentials(request: FastifyRequest): { id: string; token: string } {
  const params = isJsonObject(request.params) ? request.params : {}
  return {
    id: typeof params.id === 'string' ? params.id : '',
    token: typeof params.token === 'string' ? params.token : '',
  }
}

/** Times are in seconds (webhooks/rate-limit). */
export function rateLimitHeaders(
  { count }: Pick<Rate, 'count'>,
  { remaining, resetAfterMs }: Pick<RateLimitResult, 'remaining' | 'resetAfterMs'>,
  bucket: string,
  now: number,
): Record<string, string> {
  return {
    'x-ratelimit-limit': String(count),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': ((now + resetAfterMs) / 1000).toFixed(3),
    'x-ratelimit-reset-after': (resetAfterMs / 1000).toFixed(3),
    'x-ratelimit-bucket': bucket,
  }
}

const noBody = { body: null, bodyBytes: null, contentType: null }

/** The first 1024 bytes of the body for the delivery log, without the token and without U+0000. */
function readBodyExcerpt(request: FastifyRequest): Pick<WebhookDelivery, keyof typeof noBody> {
  const { body } = request
  if (!(body instanceof Uint8Array) || body.length === 0) return noBody
  const { token } = readCredentials(request)
  const clean = (given: string) =>
    Buffer.from(given.replaceAll(token, '[token]').replaceAll('\u0000', '\ufffd'))
  // Twice the length, so that a token that extends over the end of the excerpt is found and replaced too.
  const text = new TextDecoder().decode(body.subarray(0, 2 * maxDeliveryBodyBytes), { stream: true })
  const excerpt = clean(text).subarray(0, maxDeliveryBodyBytes)
  const contentType = clean(request.headers['content-type'] ?? '').subarray(0, maxDeliveryContentType)
  return {
    body: new TextDecoder().decode(excerpt, { stream: true }),
    bodyBytes: body.length,
    contentType: contentType.length === 0 ? null : new TextDecoder().decode(contentType, { stream: true }),
  }
}
