import { checkComponents, type Row } from './components.ts'
import { checkEmbeds, type Embed } from './embeds.ts'
import type { Violation } from './field-errors.ts'
import { type AllowedMentions, checkAllowedMentions } from './mentions.ts'
import type { UpdateMessageBody } from './messages.ts'
import { checkContent } from './text.ts'

/** Members that the body does not contain are undefined; null and [] become empty values (bots/callback-response). */
export interface MessageContent {
  content: string | undefined
  embeds: Embed[] | undefined
  components: Row[] | undefined
  allowedMentions: AllowedMentions | undefined
}

/** Validates text, embeds, components and mentions of a message of a bot, or the changes of an edit. */
export function checkMessageBody(body: { [Member in keyof UpdateMessageBody]: unknown }): {
  message: MessageContent
  violations: Violation[]
} {
  const text = checkContent(body.content)
  const { embeds, ...inEmbeds } = checkEmbeds(body.embeds)
  const { components, ...inComponents } = checkComponents(body.components)
  const { allowed: allowedMentions, ...inMentions } = checkAllowedMentions(body.allowedMentions)
  return {
    message: {
      content: body.content === undefined ? undefined : text.content,
      embeds: body.embeds === undefined ? undefined : embeds,
      components: body.components === undefined ? undefined : components,
      allowedMentions,
    },
    violations: [
      ...text.violations,
      ...inEmbeds.violations,
      ...inComponents.violations,
      ...inMentions.violations,
    ],
  }
}

/** A message needs text or an embed (webhooks/empty-message). */
export function checkNotEmpty(message: { content: string; embeds: readonly Embed[] }): Violation[] {
  if (message.content !== '' || message.embeds.length > 0) return []
  return [{ path: ['content'], code: 'required', message: 'is required if there is no embed' }]
}
