import { type OperationId, type PathParameters, requestLine } from '@gatehouse/protocol/endpoints'
import { type Clock, systemClock, systemTimers, type Timers } from './clock.ts'
import { ApiError, type FieldError, InvalidError } from './errors.ts'
import { mustBeObject } from './operations.ts'
import { parseUrl } from './parse-url.ts'
import { createRest } from './rest.ts'
import type { AllowedMentions, Embed } from './types.ts'

export interface WebhookMessage {
  /** Up to 2000 characters. A message needs `content` or at least one embed. */
  content?: string | null | undefined
  /** Up to 10. */
  embeds?: readonly Embed[] | undefined
  /** Overrides the name of the webhook for this message. Up to 80 characters. */
  username?: string | undefined
  /** Overrides the avatar of the webhook for this message. */
  avatarUrl?: string | undefined
  /** The mentions that notify. Default: the users whom the text mentions. */
  allowedMentions?: AllowedMentions | undefined
}

/** The changes to a message. An edit cannot change the name and avatar of the author. */
export type WebhookEdit = Omit<WebhookMessage, 'username' | 'avatarUrl'>

/** A message that a webhook has posted. */
export interface PostedMessage {
  id: string
  channelId: string
  content: string
  embeds: Embed[]
  /** `avatar` is a URL. */
  author: { username: string; avatar: string | null }
  createdAt: string
  editedAt: string | null
}

export interface Webhook {
  readonly id: string
  send(message: string | WebhookMessage): Promise<PostedMessage>
  get(messageId: string): Promise<PostedMessage>
  edit(messageId: string, message: WebhookEdit): Promise<PostedMessage>
  delete(messageId: string): Promise<void>
}

export interface WebhookOptions {
  fetch?: typeof fetch
  clock?: Clock
  timers?: Timers
}

const webhookUrlPattern = /^(.*)\/api\/(?:v\d+\/)?webhooks\/(\d+)\/([\w-]+)\/?$/

/**
 * A client for the webhook with this URL. The URL is a secret: error messages do not contain it, and printing the
 * webhook does not expose it.
 */
export function createWebhook(url: string, options: WebhookOptions = {}): Webhook {
  const parsed = parseUrl(url)
  const [, base, id, token] = webhookUrlPattern.exec(parsed ? parsed.origin + parsed.pathname : '') ?? []
  if (base === undefined || id === undefined || token === undefined) {
    throw new TypeError('createWebhook: the URL must have the form https://…/api/webhooks/<id>/<token>.')
  }
  const rest = createRest({
    url: base,
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    clock: options.clock ?? systemClock,
    timers: options.timers ?? systemTimers,
    createError: toWebhookError,
  })

  async function call<Id extends OperationId>(
    operation: Id,
    parameters: PathParameters<Id> & { query?: object },
    body?: object,
  ): Promise<DiscordMessage> {
    const { method, path } = requestLine(operation, parameters)
    const response = await rest({
      method,
      path,
      name: `${method} webhook message`,
      // Posts and changes have a rate each (webhooks/rate-limit).
      buckets: method === 'GET' ? [] : [method === 'POST' ? 'posts' : 'edits'],
      ...(body ? { body } : {}),
    })
    // Not validated: the type follows from the API.
    return response.body as DiscordMessage
  }

  const label = `Webhook(${id})`
  const webhook: Webhook = {
    id,
    send: async message => {
      const query = { wait: true }
      return toPostedMessage(await call('executeWebhook', { id, token, query }, toDiscordBody(message)))
    },
    get: async messageId => toPostedMessage(await call('getWebhookMessage', { id, token, messageId })),
    async edit(messageId, message) {
      if (typeof message !== 'object') throw new TypeError(`webhook.edit: argument 2 ${mustBeObject}`)
      const parameters = { id, token, messageId }
      return toPostedMessage(await call('updateWebhookMessage', parameters, toDiscordBody(message)))
    },
    async delete(messageId) {
      await call('deleteWebhookMessage', { id, token, messageId })
    },
  }
  return Object.defineProperties(webhook, {
    toString: { value: () => label },
    toJSON: { value: () => ({ id }) },
    [Symbol.for('nodejs.util.inspect.custom')]: { value: () => label },
    [Symbol.for('Deno.customInspect')]: { value: () => label },
  })
}

/** A message in Discord's format, which the webhook routes use (webhooks/discord-format). */
interface DiscordMessage {
  id: string
  channel_id: string
  content: string
  embeds: Embed[]
  author: { username: string; avatar_url: string | null }
  timestamp: string
  edited_timestamp: string | null
}

function toDiscordBody(message: string | WebhookMessage): object {
  const { content, embeds, username, avatarUrl, allowedMentions }: WebhookMessage =
    typeof message === 'string' ? { content: message } : message
  // JSON omits properties that are undefined.
  return { content, embeds, username, avatar_url: avatarUrl, allowed_mentions: allowedMentions }
}

function toPostedMessage(message: DiscordMessage): PostedMessage {
  const { id, channel_id, content, embeds, author, timestamp, edited_timestamp } = message
  return {
    id,
    channelId: channel_id,
    content,
    embeds,
    author: { username: author.username, avatar: author.avatar_url },
    createdAt: new Date(timestamp).toISOString(),
    editedAt: edited_timestamp === null ? null : new Date(edited_timestamp).toISOString(),
  }
}

/**
 * Converts an error response of the webhook routes, `{code: 50035, message, errors: {embeds: {0: {title:
 * {_errors}}}}}`.
 */
function toWebhookError(status: number, body: unknown, request: string): ApiError {
  const { code, message, errors }: { code?: unknown; message?: unknown; errors?: unknown } =
    typeof body === 'object' && body !== null ? body : {}
  const details = {
    status,
    code: String(code ?? `http_${status}`),
    message: typeof message === 'string' ? message : `the service returned status ${status}`,
    request,
  }
  return status === 400 ? new InvalidError(details, fieldErrorsIn(errors, '')) : new ApiError(details)
}

function fieldErrorsIn(errors: unknown, path: string): FieldError[] {
  if (typeof errors !== 'object' || errors === null) return []
  return Object.entries(errors).flatMap(([key, value]) => {
    if (key !== '_errors') return fieldErrorsIn(value, joinPath(path, key))
    if (!Array.isArray(value)) return []
    return value.map(({ code, message }) => ({ path, code: String(code), message: String(message) }))
  })
}

function joinPath(path: string, key: string): string {
  if (/^\d+$/.test(key)) return `${path}[${key}]`
  return path === '' ? key : `${path}.${key}`
}
