import { type Clock, systemClock, systemTimers, type Timers } from './clock.ts'
import { ApiError, type Fault, InvalidError } from './errors.ts'
import { createRest, type RestRequest } from './rest.ts'
import type { AllowedMentions, Embed } from './types.ts'

export interface WebhookMessage {
  /** Up to 2000 characters. This or one embed at least. */
  content?: string | null | undefined
  /** Up to 10. */
  embeds?: readonly Embed[] | undefined
  /** Sender's name for this message, up to 80 characters. */
  username?: string | undefined
  /** Sender's picture for this message. */
  avatarUrl?: string | undefined
  /** Whom the message may notify; left out, the users whom its text mentions. */
  allowedMentions?: AllowedMentions | undefined
}

/** What of a message changes; who it is from is decided once. */
export type WebhookEdit = Omit<WebhookMessage, 'username' | 'avatarUrl'>

/** A message that a webhook has posted. */
export interface PostedMessage {
  id: string
  channelId: string
  content: string
  embeds: Embed[]
  author: { username: string; avatar: string | null }
  createdAt: string
  editedAt: string | null
}

export interface Webhook {
  readonly id: string
  send(message: string | WebhookMessage): Promise<PostedMessage>
  get(messageId: string): Promise<PostedMessage>
  edit(messageId: string, message: string | WebhookEdit): Promise<PostedMessage>
  delete(messageId: string): Promise<void>
}

export interface WebhookOptions {
  fetch?: typeof fetch
  clock?: Clock
  timers?: Timers
}

const shape = /^(.*)\/api\/(?:v\d+\/)?webhooks\/(\d+)\/([\w-]+)\/?$/

/**
 * Posts into a channel at the address of a webhook. The address is a secret: it stands in no error, and nothing that
 * prints the webhook shows it.
 */
export function createWebhook(url: string, options: WebhookOptions = {}): Webhook {
  const address = URL.parse(url)
  const found = shape.exec(address ? address.origin + address.pathname : '')
  const [, base, id, token] = found ?? []
  if (base === undefined || id === undefined || token === undefined) {
    throw new TypeError('this is not the address of a webhook: …/api/webhooks/<id>/<token>')
  }
  const rest = createRest({
    url: base,
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    clock: options.clock ?? systemClock,
    timers: options.timers ?? systemTimers,
    refused: refusedByWebhook,
  })

  async function ask(method: RestRequest['method'], tail: string, body?: object): Promise<DialectMessage> {
    const path = `/api/webhooks/${id}/${token}${tail}`
    const answer = await rest({ method, path, name: `${method} webhook message`, ...(body ? { body } : {}) })
    // A parse edge: the contract says what comes.
    return answer.body as DialectMessage
  }

  const label = `Webhook(${id})`
  const webhook: Webhook = {
    id,
    send: async message => toPosted(await ask('POST', '?wait=true', toDialect(message))),
    get: async messageId => toPosted(await ask('GET', `/messages/${messageId}`)),
    edit: async (messageId, message) =>
      toPosted(await ask('PATCH', `/messages/${messageId}`, toDialect(message))),
    async delete(messageId) {
      await ask('DELETE', `/messages/${messageId}`)
    },
  }
  return Object.defineProperties(webhook, {
    toString: { value: () => label },
    toJSON: { value: () => ({ id }) },
    [Symbol.for('nodejs.util.inspect.custom')]: { value: () => label },
    [Symbol.for('Deno.customInspect')]: { value: () => label },
  })
}

/** A message as the dialect of the webhook routes has it (D33). */
interface DialectMessage {
  id: string
  channel_id: string
  content: string
  embeds: Embed[]
  author: { username: string; avatar: string | null }
  timestamp: string
  edited_timestamp: string | null
}

function toDialect(message: string | WebhookMessage): object {
  const given: WebhookMessage = typeof message === 'string' ? { content: message } : message
  const { content, embeds, username, avatarUrl, allowedMentions } = given
  // Members that are undefined are left out of JSON.
  return { content, embeds, username, avatar_url: avatarUrl, allowed_mentions: allowedMentions }
}

function toPosted(message: DialectMessage): PostedMessage {
  const { id, channel_id, content, embeds, author, timestamp, edited_timestamp } = message
  return {
    id,
    channelId: channel_id,
    content,
    embeds,
    author: { username: author.username, avatar: author.avatar },
    createdAt: timestamp,
    editedAt: edited_timestamp,
  }
}

/** The dialect's refusal, `{code: 50035, message, errors: {embeds: {0: {title: {_errors}}}}}`, as an error. */
function refusedByWebhook(status: number, body: unknown, request: string): ApiError {
  const { code, message, errors }: { code?: unknown; message?: unknown; errors?: unknown } =
    typeof body === 'object' && body !== null ? body : {}
  const refusal = {
    status,
    code: String(code ?? `http_${status}`),
    message: typeof message === 'string' ? message : `answered with status ${status}`,
    request,
  }
  return status === 400 ? new InvalidError(refusal, faultsIn(errors, '')) : new ApiError(refusal)
}

function faultsIn(errors: unknown, path: string): Fault[] {
  if (typeof errors !== 'object' || errors === null) return []
  return Object.entries(errors).flatMap(([key, value]) => {
    if (key !== '_errors') return faultsIn(value, joined(path, key))
    if (!Array.isArray(value)) return []
    return value.map(({ code, message }) => ({ path, code: String(code), message: String(message) }))
  })
}

function joined(path: string, key: string): string {
  if (/^\d+$/.test(key)) return `${path}[${key}]`
  return path === '' ? key : `${path}.${key}`
}
