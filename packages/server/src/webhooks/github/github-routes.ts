import { isJsonObject } from '@gatehouse/protocol/json-object'
import { maxBodyBytes, maxGithubBodyBytes, maxLargeBodies } from '@gatehouse/protocol/limits'
import { GithubEvent, GithubForm, GithubHeaders, type WebhookDelivery } from '@gatehouse/protocol/webhooks'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors/app-error.ts'
import { noContent, type Route, route } from '../../http/route.ts'
import { discordErrorFormat, invalidField } from '../discord/discord-errors.ts'
import { isDiscordBody, isSlackBody } from '../other-format.ts'
import { jsonOrForm, readPayloadBytes } from '../request-body.ts'
import { type Dropped, describeDropped } from '../truncate.ts'
import { TokenParams, type WebhookGuard } from '../webhook-guard.ts'
import type { WebhookMessages } from '../webhook-messages.ts'
import { parseEvent } from './event-body.ts'
import type { DuplicateFilter } from './github-duplicates.ts'
import { explainIgnoredEvent, parseGithubEvent } from './github-message.ts'

export function githubRoutes(
  messages: WebhookMessages,
  guard: WebhookGuard,
  duplicates: DuplicateFilter,
): Route[] {
  async function postEvent(
    request: FastifyRequest,
    body: unknown,
  ): Promise<Pick<WebhookDelivery, 'messageId' | 'reason'>> {
    const webhook = guard.requireWebhook(request)
    const eventType = readHeader(request, 'x-github-event')
    const payload = await parseEvent(readPayloadBytes(request, body))
    if (eventType === undefined) {
      const problem = `the header X-GitHub-Event is required${describeOtherFormat(payload)}`
      throw invalidField(['X-GitHub-Event'], 'header', problem)
    }
    if (!isJsonObject(payload)) throw invalidField([], 'invalid_type', 'the event must be a JSON object')
    const dropped: Dropped = new Set()
    const message = parseGithubEvent(eventType, payload, dropped)
    if (message === undefined) return { messageId: null, reason: explainIgnoredEvent(eventType, payload) }
    const deliveryId = readHeader(request, 'x-github-delivery')
    if (!(await duplicates.claim(webhook.id, deliveryId))) {
      return { messageId: null, reason: 'Ignored: an event with this X-GitHub-Delivery was posted before.' }
    }
    try {
      const { id } = (await messages.create(webhook, message)).message
      return { messageId: id, reason: describeDropped(dropped) }
    } catch (error) {
      await duplicates.release(webhook.id, deliveryId)
      throw error
    }
  }

  const checkTokenAndRate = guard.checkTokenAndRate('posts')
  let largeBodies = 0

  /** Limits the memory for bodies that are read at the same time (webhooks/github-size). */
  function admitLargeBody({ headers }: FastifyRequest, reply: FastifyReply): void {
    const length = headers['content-length']
    const isSmall =
      length === undefined ? headers['transfer-encoding'] === undefined : Number(length) <= maxBodyBytes
    if (isSmall) return
    if (largeBodies >= maxLargeBodies) {
      throw new AppError('unavailable', 'Too many large events arrive at the same time.', { retryAfter: 1 })
    }
    largeBodies += 1
    reply.raw.once('close', () => {
      largeBodies -= 1
    })
  }

  return [
    route('executeGithubWebhook', {
      summary: 'Posts a GitHub event as an embed. Unknown events are ignored.',
      tag: 'Webhooks',
      caller: { anonymous: true },
      params: TokenParams,
      requestHeaders: GithubHeaders,
      bodyTypes: ['any'],
      content: jsonOrForm(GithubEvent, GithubForm),
      responses: { 204: null },
      errors: ['not_found', 'rate_limited'],
      responseHeaders: ['X-RateLimit'],
      errorFormat: discordErrorFormat,
      // The token is checked first: nobody else can make the service read a large body.
      beforeBody: async (request, reply) => {
        await checkTokenAndRate(request, reply)
        admitLargeBody(request, reply)
      },
      maxBodyBytes: maxGithubBodyBytes,
      onErrorResponse: guard.logFailure('github'),
      onUnrouted: guard.onUnrouted,
      async handle({ request, body }) {
        guard.logSuccess(request, 'github', 204, await postEvent(request, body))
        return noContent()
      },
    }),
  ]
}

function readHeader(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Which URL a payload without X-GitHub-Event belongs to (webhooks/other-format). */
function describeOtherFormat(payload: unknown): string {
  if (!isJsonObject(payload)) return ''
  if (isDiscordBody(payload)) return ": this body has Discord's format, remove /github from the webhook URL"
  return isSlackBody(payload)
    ? ": this body has Slack's format, replace /github with /slack in the webhook URL"
    : ''
}
