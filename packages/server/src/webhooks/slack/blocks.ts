import type { Embed } from '@gatehouse/protocol/embeds'
import { isJsonObject, type JsonObject, readUrl } from '@gatehouse/protocol/json-object'
import { maxEmbedTitle } from '@gatehouse/protocol/limits'
import { truncate } from '../truncate.ts'
import { readSlackObjects, readSlackText } from './members.ts'
import { decodePlainText, formatLink, mrkdwnToMarkdown } from './mrkdwn.ts'

// In Markdown, `---` would turn the line above into a heading.
const divider = '———'

/**
 * Renders header, section, context, divider, image and link buttons (webhooks/slack-conversion); ignores other blocks.
 * `text` is Markdown and empty if there are only dividers; `images` has one embed for each image.
 */
export function renderBlocks(blocks: readonly JsonObject[]): { text: string; images: Embed[] } {
  const lines: string[] = []
  const images: Embed[] = []
  for (const block of blocks) {
    switch (block.type) {
      case 'header':
        lines.push(formatHeading(renderText(block.text)))
        break
      case 'section':
        lines.push(renderText(block.text), ...readSlackObjects(block, 'fields').map(renderText))
        lines.push(renderButton(block.accessory))
        images.push(...renderImage(block.accessory))
        break
      case 'actions':
        lines.push(joinInline(readSlackObjects(block, 'elements').map(renderButton)))
        break
      case 'context':
        lines.push(joinInline(readSlackObjects(block, 'elements').map(renderText)))
        break
      case 'divider':
        lines.push(divider)
        break
      case 'image':
        images.push(...renderImage(block))
        break
    }
  }
  const hasText = lines.some(line => line !== '' && line !== divider)
  return { text: hasText ? lines.filter(line => line !== '').join('\n') : '', images }
}

/** Renders a text object. Some programs send a string instead. */
function renderText(value: unknown): string {
  const object = isJsonObject(value) ? value : { type: 'mrkdwn', text: value }
  if (object.type !== 'mrkdwn' && object.type !== 'plain_text') return ''
  const text = readSlackText(object, 'text')
  return (object.type === 'mrkdwn' ? mrkdwnToMarkdown(text) : decodePlainText(text)).trim()
}

function renderButton(value: unknown): string {
  if (!isJsonObject(value) || value.type !== 'button') return ''
  return renderLinkButton(value, () => renderText(value.text))
}

/** Renders a button with a `url` as a link. Other buttons have no function here and are removed, with any label. */
export function renderLinkButton(button: JsonObject, readLabel: () => string): string {
  const url = readUrl(button, 'url')
  return url === undefined ? '' : formatLink(url, readLabel())
}

function renderImage(value: unknown): Embed[] {
  if (!isJsonObject(value) || value.type !== 'image') return []
  const url = readUrl(value, 'image_url')
  if (url === undefined) return []
  const title = truncate(renderText(value.title), maxEmbedTitle)
  return [title === '' ? { image: { url } } : { title, image: { url } }]
}

/** Joins texts into one line, without the empty ones. */
export function joinInline(texts: readonly string[]): string {
  return texts.filter(text => text !== '').join(' · ')
}

function formatHeading(text: string): string {
  return text === '' ? '' : `**${text.replaceAll('\n', ' ')}**`
}
