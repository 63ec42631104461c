import { checkEmbeds, type Embed } from '@gatehouse/protocol/embeds'
import { formatPath } from '@gatehouse/protocol/field-errors'
import { type JsonObject, readUrl, toBoolean } from '@gatehouse/protocol/json-object'
import * as limits from '@gatehouse/protocol/limits'
import { cleanName, isBlank, isLonger } from '@gatehouse/protocol/text'
import { escapeMarkdown } from '../discord/escape-markdown.ts'
import { type Dropped, firstNoted, fitEmbeds, truncateNoted } from '../truncate.ts'
import type { NewWebhookMessage } from '../webhook-messages.ts'
import { attachmentToEmbeds } from './attachments.ts'
import { renderBlocks } from './blocks.ts'
import { decodeTitle, mrkdwnToMarkdown } from './mrkdwn.ts'
import { invalidPayload, invalidPayloads, noText } from './slack-errors.ts'
import { readSlackObjects, readSlackText } from './slack-members.ts'

/** `dropped`: the types of blocks and elements that are not shown, or only as text, and what was cut. */
type SlackMessage = NewWebhookMessage & { dropped: Dropped }

/**
 * Converts a Slack message (webhooks/slack-conversion, webhooks/slack-shapes). Truncates what is too long. Throws
 * SlackError for a payload that cannot be converted.
 */
export function parseSlackMessage(payload: JsonObject, isGithubEvent = false): SlackMessage {
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
  const { content, embed } = toContentOrEmbed(text, convertedEmbeds.length, dropped)
  const allEmbeds = [...(embed === undefined ? [] : [embed]), ...convertedEmbeds]
  const embeds = fitEmbeds(firstNoted(allEmbeds, limits.maxEmbeds, dropped, 'embeds'), dropped)
  const checked = checkEmbeds(embeds)
  if (checked.violations.length > 0) {
    throw invalidPayloads(checked.violations.map(({ path, message }) => [formatPath(path), message]))
  }
  if (content === '' && embeds.length === 0) throw noText(payload, isGithubEvent)
  const name = cleanName(readSlackText(payload, 'username'))
  const username = truncateNoted(name, limits.maxWebhookName, dropped, 'username')
  return {
    content,
    embeds: checked.embeds,
    // Slack has no `allowed_mentions`, so the default applies: `<@id>` notifies a user, `<!channel>` nobody
    // (webhooks/slack-mentions).
    allowedMentions: undefined,
    username: username === '' ? undefined : username,
    avatarUrl: readUrl(payload, 'icon_url'),
    dropped,
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
function toContentOrEmbed(
  text: string,
  embedCount: number,
  dropped: Dropped,
): { content: string; embed: Embed | undefined } {
  if (!isLonger(text, limits.maxContent) || embedCount >= limits.maxEmbeds) {
    return { content: truncateNoted(text, limits.maxContent, dropped, 'text'), embed: undefined }
  }
  return {
    content: '',
    embed: { description: truncateNoted(text, limits.maxSlackDescription, dropped, 'text') },
  }
}
