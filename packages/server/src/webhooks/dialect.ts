import { WebhookErrorCode, webhookErrorStatus } from '@gatehouse/protocol/errors'
import type { Message } from '@gatehouse/protocol/messages'
import type { User } from '@gatehouse/protocol/users'
import type {
  DialectError,
  DialectMessage,
  DialectRateLimit,
  DialectUser,
  DialectWebhook,
} from '@gatehouse/protocol/webhooks'
import type { ErrorDialect } from '../http/errors.ts'
import type { AppError, ErrorCode } from '../kit/app-error.ts'
import { invalidForm, Refusal } from './refusal.ts'
import type { AddressedWebhook } from './store.ts'

/** The address of a webhook, which is its key; made from BASE_URL alone (D1). */
export function webhookUrl(baseUrl: string, id: string, token: string): string {
  return `${baseUrl}/api/webhooks/${id}/${token}`
}

export function dialectWebhook(webhook: AddressedWebhook, token: string, baseUrl: string): DialectWebhook {
  return {
    id: webhook.id,
    type: 1,
    channel_id: webhook.channelId,
    guild_id: webhook.serverId,
    name: webhook.name,
    avatar: webhook.avatar,
    token,
    application_id: null,
    url: webhookUrl(baseUrl, webhook.id, token),
  }
}

/** `mentioned`: the users whom the message notifies. */
export function dialectMessage(
  message: Message,
  webhook: Pick<AddressedWebhook, 'id' | 'avatar'>,
  mentioned: readonly User[],
  baseUrl: string,
): DialectMessage {
  const { author } = message
  return {
    id: message.id,
    type: 0,
    channel_id: message.channelId,
    webhook_id: webhook.id,
    content: message.content,
    author: {
      id: author.id,
      username: author.displayName,
      // D43: only what this message brought with it.
      avatar: author.avatar === webhook.avatar ? null : author.avatar,
      bot: true,
      discriminator: '0000',
    },
    embeds: message.embeds,
    attachments: [],
    components: [],
    mentions: mentioned.map(user => dialectUser(user, baseUrl)),
    mention_roles: message.mentions.roles,
    mention_everyone: message.mentions.everyone,
    pinned: false,
    tts: false,
    timestamp: message.createdAt,
    edited_timestamp: message.editedAt,
    flags: 0,
  }
}

function dialectUser(user: User, baseUrl: string): DialectUser {
  return {
    id: user.id,
    username: user.username,
    avatar: `${baseUrl}${user.avatar}`,
    bot: user.bot,
    discriminator: '0000',
  }
}

const numeric: Readonly<Partial<Record<ErrorCode, WebhookErrorCode>>> = {
  not_found: WebhookErrorCode.unknownWebhook,
  body_too_large: WebhookErrorCode.tooLarge,
  malformed_json: WebhookErrorCode.malformedJson,
  validation_failed: WebhookErrorCode.invalidFormBody,
}

/** Errors in the compatible dialect: `{"code":50035,"message":"…","errors":{…}}`, 429 without a code (D42). */
export const webhookDialect: ErrorDialect = error => {
  if (error.code === 'rate_limited') {
    const body: DialectRateLimit = {
      message: 'You are being rate limited.',
      retry_after: error.retryAfter ?? 1,
      global: false,
    }
    return { status: 429, body }
  }
  const refusal = toRefusal(error)
  const code = refusal?.numeric ?? numeric[error.code] ?? 0
  const body: DialectError = { code, message: refusal?.message ?? error.message }
  if (refusal?.nested !== undefined) body.errors = refusal.nested
  return { status: code === 0 ? error.status : webhookErrorStatus[code], body }
}

/** What a shared step refused, with its places nested as the dialect has them. */
function toRefusal(error: AppError): Refusal | undefined {
  if (error instanceof Refusal) return error
  if (error.code !== 'validation_failed' || error.errors === undefined) return undefined
  return invalidForm(
    error.errors.map(({ path, code, message }) => ({
      path: path === '' ? [] : path.split('.'),
      rule: code,
      message,
    })),
  )
}
