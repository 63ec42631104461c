import type { Embed } from '@gatehouse/protocol/embeds'
import { toFieldErrors } from '@gatehouse/protocol/field-errors'
import { checkMessageBody, checkNotEmpty, type MessageContent } from '@gatehouse/protocol/message-body'
import type { UpdateMessageBody } from '@gatehouse/protocol/messages'
import { invalidAll } from '../../kit/app-error.ts'

export type ParsedMessageBody = MessageContent

/**
 * Validates what the schema of the body does not. Throws 400 `validation_failed` with all field errors. `author`: only bots
 * can send embeds and components. `prefix`: the path of the body in the request, such as `data` in a callback.
 */
export function parseMessageBody(
  body: UpdateMessageBody,
  { author, prefix = '' }: { author: 'user' | 'bot'; prefix?: string },
): ParsedMessageBody {
  const { message, violations } = checkMessageBody(body)
  const errors = toFieldErrors(violations, prefix)
  if (author === 'user') {
    for (const path of ['embeds', 'components'] as const) {
      if (!isEmpty(body[path]))
        errors.push({ path, code: 'not_allowed', message: 'can only be sent by bots' })
    }
  }
  if (errors.length > 0) throw invalidAll(errors)
  return message
}

/** Throws 400 for a message without text and embeds. `prefix` as for `parseMessageBody`. */
export function requireContentOrEmbed(
  message: { content: string; embeds: readonly Embed[] },
  prefix = '',
): void {
  const violations = checkNotEmpty(message)
  if (violations.length > 0) throw invalidAll(toFieldErrors(violations, prefix))
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}
