import { checkEmbeds, type Embed } from '@gatehouse/protocol/embeds'
import { formatPath } from '@gatehouse/protocol/field-errors'
import { type JsonObject, readUrl, toBoolean } from '@gatehouse/protocol/json-object'
import * as limits from '@gatehouse/protocol/limits'
import { cleanName, isBlank, isLonger } from '@gatehouse/protocol/text'
import { escapeMarkdown } from '../discord/escape-markdown.ts'
import { fitEmbeds, truncate } from '../truncate.ts'
import type { NewWebhookMessage } from '../webhook-messages.ts'
import { attachmentToEmbeds } from './attachments.ts'
import { renderBlocks } from './blocks.ts'
import { decodeTitle, mrkdwnToMarkdown } from './mrkdwn.ts'
import { invalidPayload, noText } from './slack-errors.ts'
import { type Dropped, readSlackObjects, readSlackText } from './slack-members.ts'

/** `dropped`: the types of blocks and elements that are not shown, or only as text. */
type SlackMessage = NewWebhookMessage & { dropped: string[] }

/**
 * Converts a Slack message (webhooks/slack-conversion, webhooks/slack-shapes). Truncates what is too long. Throws
 * SlackError for a payload that cannot be converted.
 */
export function parseSlackMessage(payload: JsonObject): SlackMessage {
  const attachments = readSlackObjects(payload, 'attachments')
  if (attachments.length > limits.maxSlackAttachments) {
    throw invalidPayload('attachments', `at most ${limits.maxSlackAttachments} attachments are accepted`)
  }
  const dropped: Dropped = new Set()
  const blocks = renderBlocks(readSlackObjects(payload, 'blocks'), dropped)
  const convertedEmbeds = [
    ...blocks.images,
    ...attachments.flatMap(attachment => attachmentToEmbeds(attachment, dropped)),
  ]
  // If the payload has blocks, `text` is only a fallback for notifications.
  const text = blocks.text === '' ? readMessageText(payload) : blocks.text
  const { content, embed } = toContentOrEmbed(text, convertedEmbeds.length)
  const embeds = fitEmbeds(
    [...(embed === undefined ? [] : [embed]), ...convertedEmbeds].slice(0, limits.maxEmbeds),
  )
  const checked = checkEmbeds(embeds)
  const [fieldError] = checked.violations
  if (fieldError !== undefined) throw invalidPayload(formatPath(fieldError.path), fieldError.message)
  if (content === '' && embeds.length === 0) throw noText(payload)
  const username = truncate(cleanName(readSlackText(payload, 'username')), limits.maxWebhookName)
  return {
    content,
    embeds: checked.embeds,
    // Slack has no `allowed_mentions`, so the default applies: `<@id>` notifies a user, `<!channel>` nobody
    // (webhooks/slack-mentions).
    allowedMentions: undefined,
    username: username === '' ? undefined : username,
    avatarUrl: readUrl(payload, 'icon_url'),
    dropped: [...dropped],
  }
}

function readMessageText(payload: JsonObject): string {
  const source = readSlackText(payload, 'text')
  const text = (
    toBoolean(payload.mrkdwn) === false ? escapeMarkdown(decodeTitle(source)) : mrkdwnToMarkdown(source)
  ).trim()
  return isBlank(text) ? '' : text
}

/** Text that is too long for `content` becomes an embed, unless the message has 10 embeds. */
function toContentOrEmbed(text: string, embedCount: number): { content: string; embed: Embed | undefined } {
  if (!isLonger(text, limits.maxContent) || embedCount >= limits.maxEmbeds) {
    return { content: truncate(text, limits.maxContent), embed: undefined }
  }
  return { content: '', embed: { description: truncate(text, limits.maxSlackDescription) } }
}
