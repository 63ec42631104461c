import { checkEmbeds } from '@gatehouse/protocol/embeds'
import type { Violation } from '@gatehouse/protocol/field-errors'
import { type JsonObject, numberToText } from '@gatehouse/protocol/json-object'
import { maxWebhookName } from '@gatehouse/protocol/limits'
import { checkAllowedMentions } from '@gatehouse/protocol/mentions'
import { checkContent, checkText, cleanName } from '@gatehouse/protocol/text'
import { checkUrl } from '@gatehouse/protocol/urls'
import { isSlackBody } from '../other-format.ts'
import type { NewWebhookMessage, WebhookMessageChanges } from '../webhook-messages.ts'
import { bodyOfOtherRoute, emptyMessage, filesNotAccepted, invalidFormBody } from './discord-errors.ts'

/**
 * Validates the body of Discord's Execute Webhook. Throws a DiscordApiError: first for a body of GitHub or in Slack's
 * format (50006), then for files (50035 at `files`), then with all field errors (50035), then for an empty message
 * (50006). Ignores unknown keys (webhooks/files-and-unknown-keys).
 */
export function parseDiscordMessage(body: JsonObject, isGithubEvent = false): NewWebhookMessage {
  const isMessage = body.content !== undefined || body.embeds !== undefined
  if (!isMessage && isGithubEvent) throw bodyOfOtherRoute('GitHub', '/github')
  if (!isMessage && isSlackBody(body)) throw bodyOfOtherRoute('Slack', '/slack')
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
export function parseDiscordMessageChanges(body: JsonObject): WebhookMessageChanges {
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
  const content = checkContent(numberToText(body.content))
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

/** Whether the body has members that only a Slack message has, or the field of Slack's forms. */

/**
 * Removes control and bidirectional characters before the length is checked (webhooks/username). `name` is undefined if
 * nothing visible remains. `member` is the path of the errors.
 */
export function checkUsername(
  value: unknown,
  member: string,
): { name: string | undefined; violations: Violation[] } {
  const { text: name, violation } = checkText(numberToText(value) ?? '', maxWebhookName, cleanName)
  if (violation) return { name: undefined, violations: [{ path: [member], ...violation }] }
  return { name: name === '' ? undefined : name, violations: [] }
}
