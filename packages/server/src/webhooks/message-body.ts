import { checkEmbeds, type Embed } from '@gatehouse/protocol/embeds'
import type { Violation } from '@gatehouse/protocol/field-errors'
import { maxWebhookName } from '@gatehouse/protocol/limits'
import type { Members } from '@gatehouse/protocol/members'
import { type AllowedMentions, checkAllowedMentions } from '@gatehouse/protocol/mentions'
import { checkContent, cleanName, isLonger, isSound } from '@gatehouse/protocol/text'
import { checkUrl } from '@gatehouse/protocol/urls'
import { emptyMessage, filesNotAccepted, invalidFormBody, slackFormatError } from './errors.ts'

/** A validated message, whichever format it was sent in. */
export interface NewWebhookMessage {
  content: string
  embeds: Embed[]
  /** Undefined if the request has no `allowed_mentions`. */
  allowedMentions: AllowedMentions | undefined
  /** Replaces the name of the webhook in this message. */
  username: string | undefined
  /** Replaces the avatar of the webhook in this message. */
  avatarUrl: string | undefined
}

/** A validated edit. Undefined members do not change. */
export type WebhookMessageChanges = {
  [K in 'content' | 'embeds' | 'allowedMentions']: NewWebhookMessage[K] | undefined
}

/**
 * Validates the body of Discord's Execute Webhook. Throws one WebhookError with all field errors. Ignores unknown keys
 * (webhooks/files-and-unknown-keys).
 */
export function parseMessage(body: Members): NewWebhookMessage {
  if (hasSlackFormat(body)) throw slackFormatError()
  const { content, embeds, mentions } = checkMessage(body)
  const username = checkUsername(body.username, 'username')
  const avatar = checkUrl(body.avatar_url, 'avatar_url')
  throwViolations(content, username, avatar, embeds, mentions)
  if (content.content === '' && embeds.embeds.length === 0) throw emptyMessage()
  return {
    content: content.content,
    embeds: embeds.embeds,
    allowedMentions: mentions.allowed,
    username: username.name,
    avatarUrl: avatar.url,
  }
}

/** Validates the body of Discord's Edit Webhook Message. The caller rejects an edit that leaves the message empty. */
export function parseMessageChanges(body: Members): WebhookMessageChanges {
  const { content, embeds, mentions } = checkMessage(body)
  throwViolations(content, embeds, mentions)
  return {
    content: body.content === undefined ? undefined : content.content,
    embeds: body.embeds === undefined ? undefined : embeds.embeds,
    allowedMentions: mentions.allowed,
  }
}

function checkMessage(body: Members) {
  // `attachments: []` is ignored; a list with items announces files (webhooks/files-and-unknown-keys).
  if (Array.isArray(body.attachments) && body.attachments.length > 0) throw filesNotAccepted()
  const content = checkContent(body.content)
  return {
    content,
    embeds: checkEmbeds(body.embeds, { lenient: true, beside: content.content !== '' }),
    mentions: checkAllowedMentions(body.allowed_mentions, { member: 'allowed_mentions' }),
  }
}

function throwViolations(...checks: readonly { violations: readonly Violation[] }[]): void {
  const violations = checks.flatMap(check => check.violations)
  if (violations.length > 0) throw invalidFormBody(violations)
}

/** Whether the body has none of Discord's members, but those of a Slack message. */
function hasSlackFormat({ content, embeds, text, blocks }: Members): boolean {
  return content === undefined && embeds === undefined && (typeof text === 'string' || Array.isArray(blocks))
}

type UsernameRule = 'invalid_type' | 'invalid_text' | 'too_long'

/**
 * Removes control and bidirectional characters before the length is checked (webhooks/bodies). `name` is undefined if
 * nothing visible remains. `member` is the path of the errors.
 */
export function checkUsername(
  value: unknown,
  member: string,
): { name: string | undefined; violations: Violation<UsernameRule>[] } {
  const fail = (rule: UsernameRule, message: string, limit?: number) => ({
    name: undefined,
    violations: [{ path: [member], rule, message, ...(limit === undefined ? {} : { limit }) }],
  })
  if (value === undefined || value === null) return { name: undefined, violations: [] }
  if (typeof value !== 'string') return fail('invalid_type', 'must be a string')
  // `cleanName` would remove U+0000, so this check precedes it.
  if (!isSound(value)) return fail('invalid_text', 'must not contain U+0000 or half of a surrogate pair')
  const name = cleanName(value)
  if (isLonger(name, maxWebhookName)) {
    return fail('too_long', `must have at most ${maxWebhookName} characters`, maxWebhookName)
  }
  return { name: name === '' ? undefined : name, violations: [] }
}
