import { checkEmbeds, type Embed } from '@gatehouse/protocol/embeds'
import type { Violation } from '@gatehouse/protocol/field-errors'
import type { JsonObject } from '@gatehouse/protocol/json-object'
import { maxWebhookName } from '@gatehouse/protocol/limits'
import { type AllowedMentions, checkAllowedMentions } from '@gatehouse/protocol/mentions'
import { checkContent, checkText, cleanName } from '@gatehouse/protocol/text'
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
 * Validates the body of Discord's Execute Webhook. Throws one WebhookError with all field errors. A body in Slack's format,
 * files and an empty message are errors of their own; only that of files has a field error, at `files`. Ignores unknown keys
 * (webhooks/files-and-unknown-keys).
 */
export function parseMessage(body: JsonObject): NewWebhookMessage {
  if (hasSlackFormat(body)) throw slackFormatError()
  const { content, embeds, mentions } = readMessage(body)
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
export function parseMessageChanges(body: JsonObject): WebhookMessageChanges {
  const { content, embeds, mentions } = readMessage(body)
  throwViolations(content, embeds, mentions)
  return {
    content: body.content === undefined ? undefined : content.content,
    embeds: body.embeds === undefined ? undefined : embeds.embeds,
    allowedMentions: mentions.allowed,
  }
}

function readMessage(body: JsonObject) {
  // `attachments: []` is ignored; a list with items announces files (webhooks/files-and-unknown-keys).
  if (Array.isArray(body.attachments) && body.attachments.length > 0) throw filesNotAccepted()
  const content = checkContent(body.content)
  return {
    content,
    embeds: checkEmbeds(body.embeds, { lenient: true, hasContent: content.content !== '' }),
    mentions: checkAllowedMentions(body.allowed_mentions, { member: 'allowed_mentions' }),
  }
}

function throwViolations(...checks: readonly { violations: readonly Violation[] }[]): void {
  const violations = checks.flatMap(check => check.violations)
  if (violations.length > 0) throw invalidFormBody(violations)
}

/** Whether the body has none of Discord's members, but those of a Slack message. */
function hasSlackFormat({ content, embeds, text, blocks }: JsonObject): boolean {
  return content === undefined && embeds === undefined && (typeof text === 'string' || Array.isArray(blocks))
}

/**
 * Removes control and bidirectional characters before the length is checked (webhooks/username). `name` is undefined if
 * nothing visible remains. `member` is the path of the errors.
 */
export function checkUsername(
  value: unknown,
  member: string,
): { name: string | undefined; violations: Violation[] } {
  const { text: name, violation } = checkText(value ?? '', maxWebhookName, cleanName)
  if (violation) return { name: undefined, violations: [{ path: [member], ...violation }] }
  return { name: name === '' ? undefined : name, violations: [] }
}
