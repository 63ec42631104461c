import { checkComponents, type Row } from '@gatehouse/protocol/components'
import { checkEmbeds, type Embed } from '@gatehouse/protocol/embeds'
import { formatPath, toFieldErrors } from '@gatehouse/protocol/field-errors'
import { type AllowedMentions, checkAllowedMentions } from '@gatehouse/protocol/mentions'
import type { UpdateMessageBody } from '@gatehouse/protocol/messages'
import { isBlank } from '@gatehouse/protocol/text'
import { type FieldError, invalid, invalidAll } from '../../kit/app-error.ts'

/** Members that the body does not contain are undefined; null and [] become empty values (bots/callback-response). */
export interface ParsedMessageBody {
  content: string | undefined
  embeds: Embed[] | undefined
  components: Row[] | undefined
  allowedMentions: AllowedMentions | undefined
}

/**
 * Validates what the schema of the body does not. Throws 400 `validation_failed` with all field errors. `author`: only bots
 * can send embeds and components. `prefix`: the path of the body in the request, such as `data` in a callback.
 */
export function parseMessageBody(
  body: UpdateMessageBody,
  { author, prefix = '' }: { author: 'user' | 'bot'; prefix?: string },
): ParsedMessageBody {
  const embeds = checkEmbeds(body.embeds)
  const components = checkComponents(body.components)
  const mentions = checkAllowedMentions(body.allowedMentions)
  const errors: FieldError[] = toFieldErrors(
    [...embeds.violations, ...components.violations, ...mentions.violations],
    prefix,
  )
  if (author === 'user') {
    for (const path of ['embeds', 'components'] as const) {
      if (!isEmpty(body[path]))
        errors.push({ path, code: 'not_allowed', message: 'can only be sent by bots' })
    }
  }
  if (errors.length > 0) throw invalidAll(errors)
  return {
    content: body.content === undefined ? undefined : removeBlank(body.content),
    embeds: body.embeds === undefined ? undefined : embeds.embeds,
    components: body.components === undefined ? undefined : components.components,
    allowedMentions: mentions.allowed,
  }
}

/** Throws 400 for a message without text and embeds. `prefix` as for `parseMessageBody`. */
export function requireContentOrEmbed(
  { content, embeds }: { content: string; embeds: readonly Embed[] },
  prefix = '',
): void {
  if (content !== '' || embeds.length > 0) return
  throw invalid(formatPath(['content'], prefix), 'required', 'is required if there is no embed')
}

/** A content without visible characters is empty (webhooks/empty-message). */
function removeBlank(content: string | null): string {
  return content === null || isBlank(content) ? '' : content
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}
