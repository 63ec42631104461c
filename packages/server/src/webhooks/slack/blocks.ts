import type { Embed } from '@gatehouse/protocol/embeds'
import { maxEmbedTitle } from '@gatehouse/protocol/limits'
import { isMembers, type Members } from '@gatehouse/protocol/members'
import { cut } from '../cut.ts'
import { fromMarkup, fromPlain, linkTo } from './markup.ts'
import { readHead, readLink, readObjects } from './read.ts'

/** What blocks show: text, and a card for each picture. */
export interface Rendered {
  text: string
  pictures: Embed[]
}

// Not `---`, which would make a heading of the line above it.
const divider = '———'

/** D47: header, section with fields, context, divider, image, and buttons that open an address; others are not shown. */
export function renderBlocks(blocks: readonly Members[]): Rendered {
  const lines: string[] = []
  const pictures: Embed[] = []
  for (const block of blocks) {
    switch (block.type) {
      case 'header':
        lines.push(bold(textOf(block.text)))
        break
      case 'section':
        lines.push(textOf(block.text), ...readObjects(block, 'fields').map(textOf))
        lines.push(buttonOf(block.accessory))
        pictures.push(...pictureOf(block.accessory))
        break
      case 'actions':
        lines.push(joined(readObjects(block, 'elements').map(buttonOf)))
        break
      case 'context':
        lines.push(joined(readObjects(block, 'elements').map(textOf)))
        break
      case 'divider':
        lines.push(divider)
        break
      case 'image':
        pictures.push(...pictureOf(block))
        break
    }
  }
  const text = lines.filter(line => line !== '').join('\n')
  return { text: lines.every(line => line === '' || line === divider) ? '' : text, pictures }
}

/** A text object; some programs write plain text in its place. */
function textOf(value: unknown): string {
  const object = isMembers(value) ? value : { type: 'mrkdwn', text: value }
  if (object.type !== 'mrkdwn' && object.type !== 'plain_text') return ''
  const words = readHead(object, 'text')
  return (object.type === 'mrkdwn' ? fromMarkup(words) : fromPlain(words)).trim()
}

/** A button that opens an address; there is nothing else to press here. */
function buttonOf(value: unknown): string {
  if (!isMembers(value) || value.type !== 'button') return ''
  const url = readLink(value, 'url')
  return url === undefined ? '' : linkTo(url, textOf(value.text))
}

function joined(texts: readonly string[]): string {
  return texts.filter(text => text !== '').join(' · ')
}

function bold(text: string): string {
  return text === '' ? '' : `**${text.replaceAll('\n', ' ')}**`
}

function pictureOf(value: unknown): Embed[] {
  if (!isMembers(value) || value.type !== 'image') return []
  const url = readLink(value, 'image_url')
  if (url === undefined) return []
  const title = cut(textOf(value.title), maxEmbedTitle)
  return [title === '' ? { image: { url } } : { title, image: { url } }]
}
