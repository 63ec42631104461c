import type { Embed } from '@gatehouse/protocol/embeds'
import { type JsonObject, readUrl, toBoolean } from '@gatehouse/protocol/json-object'
import * as limits from '@gatehouse/protocol/limits'
import { slackColors } from '@gatehouse/protocol/slack'
import { isBlank } from '@gatehouse/protocol/text'
import { normalizeTimestamp } from '@gatehouse/protocol/timestamps'
import { escapeMarkdown } from '../discord/escape-markdown.ts'
import { type Dropped, firstNoted, truncateNoted } from '../truncate.ts'
import { joinInline, renderBlocks, renderLinkButton } from './blocks.ts'
import { decodeTitle, mrkdwnToMarkdown } from './mrkdwn.ts'
import { readSlackObjects, readSlackText } from './slack-members.ts'

// The name and the value of an embed field are required, so this replaces a missing one.
const zeroWidthSpace = '\u200b'

/**
 * Converts an attachment to one embed and one more embed for each further image (webhooks/slack-conversion). Returns an
 * empty array if the attachment has no content.
 */
export function attachmentToEmbeds(attachment: JsonObject, dropped: Dropped): Embed[] {
  const blocks = renderBlocks(readSlackObjects(attachment, 'blocks'), dropped)
  const embed: Embed = {}
  const title = readPlainText(attachment, 'title', limits.maxEmbedTitle, dropped)
  if (title !== undefined) {
    embed.title = title
    const url = readUrl(attachment, 'title_link')
    if (url !== undefined) embed.url = url
  }
  const buttons = joinInline(readSlackObjects(attachment, 'actions').map(renderAction))
  const texts = [readMrkdwn(attachment, 'pretext'), readMrkdwn(attachment, 'text'), blocks.text, buttons]
  const description = texts.filter(text => text !== '').join('\n')
  if (description !== '') {
    embed.description = truncateNoted(description, limits.maxEmbedDescription, dropped, 'attachments.text')
  }
  Object.assign(
    embed,
    readAuthor(attachment, dropped),
    readFooter(attachment, dropped),
    readFields(attachment, dropped),
  )
  const image = readUrl(attachment, 'image_url')
  if (image !== undefined) embed.image = { url: image }
  const thumbnail = readUrl(attachment, 'thumb_url')
  if (thumbnail !== undefined) embed.thumbnail = { url: thumbnail }
  const [firstImage, ...moreImages] = blocks.images
  if (firstImage?.image !== undefined && embed.image === undefined) embed.image = firstImage.image
  else if (firstImage !== undefined) moreImages.unshift(firstImage)

  if (Object.keys(embed).length === 0) {
    const fallback = escapeMarkdown(decodeTitle(readSlackText(attachment, 'fallback').trim()))
    if (fallback === '') return moreImages
    embed.description = truncateNoted(fallback, limits.maxEmbedDescription, dropped, 'attachments.fallback')
  }
  const color = parseColor(attachment.color)
  if (color !== undefined) embed.color = color
  const timestamp = parseTimestamp(attachment.ts)
  if (timestamp !== undefined) embed.timestamp = timestamp
  return [embed, ...moreImages]
}

function renderAction(action: JsonObject): string {
  return renderLinkButton(action, () => decodeTitle(readSlackText(action, 'text')))
}

function readAuthor(attachment: JsonObject, dropped: Dropped): Pick<Embed, 'author'> {
  const name = readPlainText(attachment, 'author_name', limits.maxAuthorName, dropped)
  // A name without visible characters would make the whole message invalid.
  if (name === undefined || isBlank(name)) return {}
  const url = readUrl(attachment, 'author_link')
  const icon = readUrl(attachment, 'author_icon')
  return {
    author: {
      name,
      ...(url === undefined ? {} : { url }),
      ...(icon === undefined ? {} : { icon_url: icon }),
    },
  }
}

function readFooter(attachment: JsonObject, dropped: Dropped): Pick<Embed, 'footer'> {
  const text = readPlainText(attachment, 'footer', limits.maxFooterText, dropped)
  if (text === undefined) return {}
  const icon = readUrl(attachment, 'footer_icon')
  return { footer: icon === undefined ? { text } : { text, icon_url: icon } }
}

function readFields(attachment: JsonObject, dropped: Dropped): Pick<Embed, 'fields'> {
  const all = readSlackObjects(attachment, 'fields')
  const shown = firstNoted(all, limits.maxEmbedFields, dropped, 'attachments.fields')
  const fields = shown.flatMap(field => {
    const name = readPlainText(field, 'title', limits.maxFieldName, dropped)
    const text = readMrkdwn(field, 'value')
    const value = truncateNoted(text, limits.maxFieldValue, dropped, 'attachments.fields.value')
    if (name === undefined && value === '') return []
    const inline = toBoolean(field.short) === true
    return [{ name: name ?? zeroWidthSpace, value: value === '' ? zeroWidthSpace : value, inline }]
  })
  return fields.length === 0 ? {} : { fields }
}

function readMrkdwn(object: JsonObject, key: string): string {
  return mrkdwnToMarkdown(readSlackText(object, key)).trim()
}

function readPlainText(object: JsonObject, key: string, max: number, dropped: Dropped): string | undefined {
  const text = truncateNoted(decodeTitle(readSlackText(object, key)), max, dropped, key)
  return text === '' ? undefined : text
}

/** An invalid color is ignored, not an error (webhooks/slack-shapes). */
function parseColor(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined
  const color = value.trim().toLowerCase()
  if (color === 'good' || color === 'warning' || color === 'danger') return slackColors[color]
  const [, digits] = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/.exec(color) ?? []
  if (digits === undefined) return undefined
  return Number.parseInt(digits.length === 3 ? digits.replace(/./g, '$&$&') : digits, 16)
}

/** `value`: Unix time in seconds, as a number or string. An invalid time is ignored. */
function parseTimestamp(value: unknown): string | undefined {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return undefined
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? undefined : normalizeTimestamp(date.toISOString())
}
