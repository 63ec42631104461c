import { checkEmbeds, type Embed } from '@gatehouse/protocol/embeds'
import type { CheckFault } from '@gatehouse/protocol/faults'
import { maxWebhookName } from '@gatehouse/protocol/limits'
import type { Members } from '@gatehouse/protocol/members'
import { type AllowedMentions, checkAllowedMentions } from '@gatehouse/protocol/mentions'
import { checkContent, cleanName, isLonger, isSound } from '@gatehouse/protocol/text'
import { checkUrl } from '@gatehouse/protocol/urls'
import { emptyMessage, filesRefused, invalidForm } from './refusal.ts'

/** A post, checked. */
export interface Draft {
  content: string
  embeds: Embed[]
  /** Undefined where the post does not say whom it may notify. */
  allowed: AllowedMentions | undefined
  /** Sender's name and picture for this message alone; undefined for those of the webhook. */
  name: string | undefined
  avatar: string | undefined
}

/** What an edit names, checked; undefined is not named. */
export interface Edit {
  content: string | undefined
  embeds: Embed[] | undefined
  allowed: AllowedMentions | undefined
}

/** Reads a post in the compatible dialect. Throws a Refusal with all that is wrong; other keys are ignored (D35). */
export function readDraft(body: Members): Draft {
  refuseFiles(body)
  const content = checkContent(body.content)
  const embeds = checkEmbeds(body.embeds, { lenient: true, beside: content.content !== '' })
  const mentions = checkAllowedMentions(body.allowed_mentions, { member: 'allowed_mentions' })
  const sender = checkName(body.username, 'username')
  const avatar = checkUrl(body.avatar_url, 'avatar_url')
  const faults: CheckFault[] = [
    ...content.faults,
    ...sender.faults,
    ...avatar.faults,
    ...embeds.faults,
    ...mentions.faults,
  ]
  if (faults.length > 0) throw invalidForm(faults)
  if (content.content === '' && embeds.embeds.length === 0) throw emptyMessage()
  return {
    content: content.content,
    embeds: embeds.embeds,
    allowed: mentions.allowed,
    name: sender.name,
    avatar: avatar.url,
  }
}

/** Reads the changes of a message. Whether anything is left of it is for the edit to see. */
export function readEdit(body: Members): Edit {
  refuseFiles(body)
  const content = checkContent(body.content)
  const embeds = checkEmbeds(body.embeds, { lenient: true, beside: content.content !== '' })
  const mentions = checkAllowedMentions(body.allowed_mentions, { member: 'allowed_mentions' })
  const faults: CheckFault[] = [...content.faults, ...embeds.faults, ...mentions.faults]
  if (faults.length > 0) throw invalidForm(faults)
  return {
    content: body.content === undefined ? undefined : content.content,
    embeds: body.embeds === undefined ? undefined : embeds.embeds,
    allowed: mentions.allowed,
  }
}

/** D35: `attachments: []` means nothing; a list that is not empty announces files. */
function refuseFiles(body: Members): void {
  if (Array.isArray(body.attachments) && body.attachments.length > 0) throw filesRefused()
}

type NameRule = 'invalid_type' | 'invalid_text' | 'too_long'

/** A sender's name without what could hide in it (D45), at `member`; undefined where nothing is left of it. */
export function checkName(
  value: unknown,
  member: string,
): { name: string | undefined; faults: CheckFault<NameRule>[] } {
  const refused = (rule: NameRule, message: string, limit?: number) => ({
    name: undefined,
    faults: [{ path: [member], rule, message, ...(limit === undefined ? {} : { limit }) }],
  })
  if (value === undefined || value === null) return { name: undefined, faults: [] }
  if (typeof value !== 'string') return refused('invalid_type', 'must be a string')
  if (!isSound(value)) {
    // Said before the marks are stripped: U+0000 is one of them.
    return refused('invalid_text', 'must not contain U+0000 or half of a surrogate pair')
  }
  const name = cleanName(value)
  if (isLonger(name, maxWebhookName)) {
    return refused('too_long', `must have at most ${maxWebhookName} characters`, maxWebhookName)
  }
  return { name: name === '' ? undefined : name, faults: [] }
}
