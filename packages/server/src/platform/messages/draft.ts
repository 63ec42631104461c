import { checkComponents, type Row } from '@gatehouse/protocol/components'
import { checkEmbeds, type Embed } from '@gatehouse/protocol/embeds'
import { formatPath, toFieldFaults } from '@gatehouse/protocol/faults'
import { type AllowedMentions, checkAllowedMentions } from '@gatehouse/protocol/mentions'
import type { UpdateMessageBody } from '@gatehouse/protocol/messages'
import { checkContent } from '@gatehouse/protocol/text'
import { type Fault, invalid, invalidAll } from '../../kit/app-error.ts'

/** What somebody wants to say, checked. What is undefined was not named; null and [] have become empty (D59). */
export interface Draft {
  content: string | undefined
  embeds: Embed[] | undefined
  components: Row[] | undefined
  allowed: AllowedMentions | undefined
}

interface DraftOptions {
  /** Embeds and components are refused from people. */
  by: 'person' | 'bot'
  /** Where the body stands in the request: `data` in a callback. */
  prefix?: string
}

/** Throws 400 `validation_failed` with all that is wrong. */
export function readDraft(body: UpdateMessageBody, { by, prefix = '' }: DraftOptions): Draft {
  const content = checkContent(body.content)
  const embeds = checkEmbeds(body.embeds)
  const components = checkComponents(body.components)
  const mentions = checkAllowedMentions(body.allowedMentions)
  const faults: Fault[] = toFieldFaults(
    [...content.faults, ...embeds.faults, ...components.faults, ...mentions.faults],
    prefix,
  )
  if (by === 'person') {
    for (const path of ['embeds', 'components'] as const) {
      if (!isEmpty(body[path])) faults.push({ path, code: 'not_allowed', message: 'is for bots' })
    }
  }
  if (faults.length > 0) throw invalidAll(faults)
  return {
    content: body.content === undefined ? undefined : content.content,
    embeds: body.embeds === undefined ? undefined : embeds.embeds,
    components: body.components === undefined ? undefined : components.components,
    allowed: mentions.allowed,
  }
}

/** Throws 400 where neither text nor a card is there to be shown. `prefix` as for `readDraft`. */
export function requireSubstance(
  { content, embeds }: { content: string; embeds: readonly Embed[] },
  prefix = '',
): void {
  if (content !== '' || embeds.length > 0) return
  throw invalid(formatPath(['content'], prefix), 'required', 'is required where there is no embed')
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}
