import type { Embed } from '@gatehouse/protocol/embeds'
import { isJsonObject, type JsonObject, readUrl } from '@gatehouse/protocol/json-object'
import { maxEmbedTitle, maxEmbedTotal } from '@gatehouse/protocol/limits'
import { isBlank } from '@gatehouse/protocol/text'
import { escapeMarkdown, formatLink } from '../discord/escape-markdown.ts'
import { convertStandardMarkdown } from '../standard-markdown.ts'
import { type Dropped, firstNoted, truncateNoted } from '../truncate.ts'
import { decodeText } from './mrkdwn.ts'
import { readType, renderRichText, renderTextObject, renderUnknown } from './rich-text.ts'
import { readSlackObjects, readSlackText } from './slack-members.ts'

// In Markdown, `---` would turn the line above into a heading.
const divider = '———'
const maxTableColumns = 20

/**
 * Renders the blocks of a message or attachment (webhooks/slack-conversion). `text` is Markdown and empty if there are
 * only dividers and invisible characters; `images` has one embed for each image. `dropped` gets the types of what is
 * not shown.
 */
export function renderBlocks(
  blocks: readonly JsonObject[],
  dropped: Dropped,
): { text: string; images: Embed[] } {
  const lines: string[] = []
  const images: Embed[] = []
  let length = 0
  for (const block of blocks) {
    // More cannot be shown.
    if (length > 4 * maxEmbedTotal) {
      dropped.add(readType(block))
      continue
    }
    const rendered = renderBlock(block, dropped)
    lines.push(...rendered.lines)
    images.push(...(rendered.images ?? []))
    for (const line of rendered.lines) length += line.length
  }
  const hasText = lines.some(line => line !== divider && !isBlank(line))
  return { text: hasText ? lines.filter(line => line !== '').join('\n') : '', images }
}

function renderBlock(block: JsonObject, dropped: Dropped): { lines: string[]; images?: Embed[] } {
  switch (block.type) {
    case 'header':
      return { lines: [formatHeading(renderText(block.text))] }
    case 'section': {
      const { accessory } = block
      const images = renderImage(accessory, dropped)
      const button = images.length > 0 ? '' : renderButton(accessory, 'section', dropped)
      const texts = [renderText(block.text), ...readSlackObjects(block, 'fields').map(renderText)]
      return { lines: [...texts, button], images }
    }
    case 'actions':
    case 'context_actions': {
      const within = String(block.type)
      const buttons = readSlackObjects(block, 'elements').map(item => renderButton(item, within, dropped))
      return { lines: [joinInline(buttons)] }
    }
    case 'context': {
      const texts = readSlackObjects(block, 'elements').map(element => {
        if (element.type === 'image') dropped.add('context/image')
        return renderText(element)
      })
      return { lines: [joinInline(texts)] }
    }
    case 'divider':
      return { lines: [divider] }
    case 'image':
      return renderImageBlock(block, dropped)
    case 'rich_text':
      return { lines: [renderRichText(block, dropped)] }
    case 'markdown':
      return { lines: [convertStandardMarkdown(readSlackText(block, 'text'))] }
    case 'table':
      return { lines: renderTable(block, dropped) }
    default:
      return { lines: [renderUnknown(block, '', dropped)] }
  }
}

/** Renders a text object. Some programs send a string instead. */
function renderText(value: unknown): string {
  return renderTextObject(isJsonObject(value) ? value : { type: 'mrkdwn', text: value })
}

/** The text of a text object that has no emphasis, not as Markdown. */
function readPlainText(value: unknown): string {
  return decodeText(readSlackText(isJsonObject(value) ? value : { text: value }, 'text'))
}

function renderButton(value: unknown, within: string, dropped: Dropped): string {
  if (!isJsonObject(value)) return ''
  const link = value.type === 'button' ? renderLinkButton(value, () => readPlainText(value.text)) : ''
  if (link === '') dropped.add(`${within}/${readType(value)}`)
  return link
}

/** Renders a button with a `url` as a link. Other buttons have no function here and are removed, with any label. */
export function renderLinkButton(button: JsonObject, readLabel: () => string): string {
  const url = readUrl(button, 'url')
  return url === undefined ? '' : formatLink(url, readLabel())
}

/** A picture that only Slack can load is replaced by its description. */
function renderImageBlock(block: JsonObject, dropped: Dropped): { lines: string[]; images: Embed[] } {
  const images = renderImage(block, dropped)
  if (images.length > 0) return { lines: [], images }
  dropped.add('image')
  return { lines: [escapeMarkdown(readSlackText(block, 'alt_text').trim())], images }
}

function renderImage(value: unknown, dropped: Dropped): Embed[] {
  if (!isJsonObject(value) || value.type !== 'image') return []
  const url = readUrl(value, 'image_url')
  if (url === undefined) return []
  const title = truncateNoted(readPlainText(value.title), maxEmbedTitle, dropped, 'image.title')
  return [title === '' ? { image: { url } } : { title, image: { url } }]
}

/** A line for each row. The first row has the headings. */
function renderTable(block: JsonObject, dropped: Dropped): string[] {
  const rows = Array.isArray(block.rows) ? block.rows.filter(Array.isArray) : []
  return rows.map((row: unknown[], index) => {
    const cells = firstNoted(row, maxTableColumns, dropped, 'columns of a table').map(cell =>
      renderCell(cell, dropped).replace(/\s*\n\s*/g, ' '),
    )
    return cells.map(cell => (index === 0 && !cell.includes('**') ? formatHeading(cell) : cell)).join(' | ')
  })
}

function renderCell(cell: unknown, dropped: Dropped): string {
  if (!isJsonObject(cell)) return ''
  if (cell.type === 'rich_text') return renderRichText(cell, dropped)
  return cell.type === 'raw_text'
    ? escapeMarkdown(readSlackText(cell, 'text').trim())
    : renderUnknown(cell, 'table', dropped)
}

/** Joins texts into one line, without the empty ones. */
export function joinInline(texts: readonly string[]): string {
  return texts.filter(text => text !== '').join(' · ')
}

function formatHeading(text: string): string {
  return isBlank(text) ? '' : `**${text.replaceAll('\n', ' ')}**`
}
