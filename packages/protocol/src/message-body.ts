import type { Embed } from './embeds.ts'
import type { Violation } from './field-errors.ts'
import { UpdateMessageBody } from './messages.ts'
import { type Parsed, parse } from './parse.ts'

/**
 * Validates text, embeds, components and mentions of a message of a bot, or the changes of an edit. Other members are
 * ignored.
 */
export function checkMessageBody({
  content,
  embeds,
  components,
  allowedMentions,
}: { [Member in keyof UpdateMessageBody]: unknown }): Parsed<UpdateMessageBody> {
  return parse(UpdateMessageBody, { content, embeds, components, allowedMentions })
}

/** A message needs text or an embed (webhooks/empty-message). */
export function checkNotEmpty(message: { content: string; embeds: readonly Embed[] }): Violation[] {
  if (message.content !== '' || message.embeds.length > 0) return []
  return [{ path: ['content'], code: 'required', message: 'is required if there is no embed' }]
}
