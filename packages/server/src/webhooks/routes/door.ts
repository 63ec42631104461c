import { webhookDeliveryBytes, webhookPosts } from '@gatehouse/protocol/limits'
import { isMembers } from '@gatehouse/protocol/members'
import type { WebhookDelivery } from '@gatehouse/protocol/webhooks'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorDialect } from '../../http/errors.ts'
import type { AppError } from '../../kit/app-error.ts'
import type { Verdict } from '../../kit/sliding-window.ts'
import type { Webhooks } from '../index.ts'
import { tooOften } from '../limits.ts'
import { unknownWebhook } from '../refusal.ts'
import type { AddressedWebhook } from '../store.ts'

/** The steps that every route with a token in its path shares, so that none can leave one out. */
export interface Door {
  /**
   * D41: an unknown webhook first, then how often, both before the body is read. With `lately` what is known of it may be
   * a second old: for a route that does nothing but `posting.post`.
   */
  admit(
    counted?: 'posts' | 'edits',
    known?: 'now' | 'lately',
  ): (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** As `admit`, for what no route takes: 404 for an unknown webhook, then the headers, and the 405 follows. */
  astray(
    request: FastifyRequest,
    reply: FastifyReply,
    params: Readonly<Record<string, string>>,
  ): Promise<void>
  /** The webhook that was let in. */
  webhookOf(request: FastifyRequest): AddressedWebhook
  /** Counts answers of 404; with `route`, puts refused posts into the log of the webhook. */
  refused(
    dialect: ErrorDialect,
    route?: WebhookDelivery['route'],
  ): (request: FastifyRequest, error: AppError) => void
  /** Puts a post that was taken into the log. */
  taken(
    request: FastifyRequest,
    route: WebhookDelivery['route'],
    status: number,
    messageId: string | null,
  ): void
}

export function createDoor({ find, findLately, limits, deliveries, now }: Webhooks): Door {
  const admitted = new WeakMap<FastifyRequest, AddressedWebhook>()

  return {
    admit: (counted, known) => async (request, reply) => {
      const { id, token } = addressOf(request)
      const webhook = await (known === 'lately' ? findLately : find)(id, token)
      if (webhook === undefined) {
        limits.refuseGuesser(request.ip)
        throw unknownWebhook()
      }
      admitted.set(request, webhook)
      const verdict = await (counted === undefined ? limits.peek(id, 'posts') : limits.hit(id, counted))
      reply.headers(rateHeaders(verdict, `${id}-${counted ?? 'posts'}`, now()))
      if (!verdict.allowed && counted !== undefined) throw tooOften(verdict.retryAfterMs)
    },
    async astray(request, reply, { id = '', token = '' }) {
      if ((await find(id, token)) === undefined) {
        limits.refuseGuesser(request.ip)
        limits.missed(request.ip)
        throw unknownWebhook()
      }
      reply.headers(rateHeaders(limits.peek(id, 'posts'), `${id}-posts`, now()))
    },
    webhookOf(request) {
      const webhook = admitted.get(request)
      if (webhook === undefined) throw new Error('a handler ran for a webhook that was not let in')
      return webhook
    },
    refused: (dialect, route) => (request, error) => {
      const { status } = dialect(error, request.id)
      if (status === 404) limits.missed(request.ip)
      const webhook = admitted.get(request)
      if (webhook === undefined || route === undefined) return
      const [fault] = error.errors ?? []
      const field = fault === undefined || fault.path === '' ? null : fault.path
      const body = bodyStart(request)
      const reason = fault?.message ?? error.message
      deliveries.record(webhook.id, { route, status, messageId: null, reason, field, body })
    },
    taken(request, route, status, messageId) {
      const webhook = admitted.get(request)
      if (webhook === undefined) return
      deliveries.record(webhook.id, { route, status, messageId, reason: null, field: null, body: null })
    },
  }
}

function addressOf(request: FastifyRequest): { id: string; token: string } {
  const params = isMembers(request.params) ? request.params : {}
  return {
    id: typeof params.id === 'string' ? params.id : '',
    token: typeof params.token === 'string' ? params.token : '',
  }
}

/** D42. Times in seconds. */
function rateHeaders(
  { remaining, resetAfterMs }: Verdict,
  bucket: string,
  now: number,
): Record<string, string> {
  return {
    'x-ratelimit-limit': String(webhookPosts),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': ((now + resetAfterMs) / 1000).toFixed(3),
    'x-ratelimit-reset-after': (resetAfterMs / 1000).toFixed(3),
    'x-ratelimit-bucket': bucket,
  }
}

/** How the body begins, for the log: without the token, should it stand there, and without what no store keeps. */
function bodyStart(request: FastifyRequest): string | null {
  const { body } = request
  if (!(body instanceof Uint8Array) || body.length === 0) return null
  const { token } = addressOf(request)
  // A token that the end of what is kept would cut in two is whole in what is looked at.
  const text = new TextDecoder().decode(body.subarray(0, 2 * webhookDeliveryBytes), { stream: true })
  const clean = text.replaceAll(token, '[token]').replaceAll('\u0000', '\ufffd')
  return new TextDecoder().decode(Buffer.from(clean).subarray(0, webhookDeliveryBytes), { stream: true })
}
