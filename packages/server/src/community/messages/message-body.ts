import type { Embed } from '@gatehouse/protocol/embeds'
import { toFieldErrors } from '@gatehouse/protocol/field-errors'
import { checkNotEmpty } from '@gatehouse/protocol/message-body'
import type { UpdateMessageBody } from '@gatehouse/protocol/messages'
import { type FieldError, invalidAll } from '../../errors/app-error.ts'

/** Throws 400 for embeds and components in a message of a user: only bots can send them. */
export function rejectBotMembers(body: UpdateMessageBody): void {
  const errors = (['embeds', 'components'] as const)
    .filter(path => (body[path] ?? []).length > 0)
    .map((path): FieldError => ({ path, code: 'not_allowed', message: 'can only be sent by bots' }))
  if (errors.length > 0) throw invalidAll(errors)
}

/**
 * Throws 400 for a message without text and embeds. `prefix`: the path of the body in the request, such as `data` in a
 * callback.
 */
export function requireContentOrEmbed(
  message: { content: string; embeds: readonly Embed[] },
  prefix = '',
): void {
  const violations = checkNotEmpty(message)
  if (violations.length > 0) throw invalidAll(toFieldErrors(violations, prefix))
}
