import type { Embed } from '@gatehouse/protocol/embeds'
import * as limits from '@gatehouse/protocol/limits'
import type { Members } from '@gatehouse/protocol/members'
import { slackColors } from '@gatehouse/protocol/slack'
import { normalizeTimestamp } from '@gatehouse/protocol/timestamps'
import { cut } from '../cut.ts'
import { renderBlocks } from './blocks.ts'
import { fromMarkup, fromPlain, linkTo } from './markup.ts'
import { readHead, readLink, readObjects } from './read.ts'

// A field needs a name and a value; one that has only the other shows nothing in its place.
const nothing = '\u200b'

/** An attachment as a card (D47); none where it has nothing to show. Its pictures beyond the first have cards too. */
export function fromAttachment(attachment: Members): Embed[] {
  const rendered = renderBlocks(readObjects(attachment, 'blocks'))
  const card: Embed = {}
  const title = plain(attachment, 'title', limits.maxEmbedTitle)
  if (title !== undefined) {
    card.title = title
    const url = readLink(attachment, 'title_link')
    if (url !== undefined) card.url = url
  }
  const links = readObjects(attachment, 'actions').map(linkOf).filter(Boolean).join(' · ')
  const texts = [readMarkup(attachment, 'pretext'), readMarkup(attachment, 'text'), rendered.text, links]
  const description = texts.filter(text => text !== '').join('\n')
  if (description !== '') card.description = cut(description, limits.maxEmbedDescription)
  Object.assign(card, authorOf(attachment), footerOf(attachment), fieldsOf(attachment))
  const image = readLink(attachment, 'image_url')
  if (image !== undefined) card.image = { url: image }
  const thumbnail = readLink(attachment, 'thumb_url')
  if (thumbnail !== undefined) card.thumbnail = { url: thumbnail }
  const [first, ...others] = rendered.pictures
  if (first?.image !== undefined && card.image === undefined) card.image = first.image
  else if (first !== undefined) others.unshift(first)

  if (Object.keys(card).length === 0) {
    const fallback = plain(attachment, 'fallback', limits.maxEmbedDescription)
    if (fallback === undefined) return others
    card.description = fallback
  }
  const color = readColor(attachment.color)
  if (color !== undefined) card.color = color
  const timestamp = readTime(attachment.ts)
  if (timestamp !== undefined) card.timestamp = timestamp
  return [card, ...others]
}

/** A button that opens an address, as alerting programs add them: there is nothing else to press here. */
function linkOf(action: Members): string {
  const url = readLink(action, 'url')
  return url === undefined ? '' : linkTo(url, fromPlain(readHead(action, 'text')))
}

function authorOf(attachment: Members): Pick<Embed, 'author'> {
  const name = plain(attachment, 'author_name', limits.maxAuthorName)
  if (name === undefined) return {}
  const url = readLink(attachment, 'author_link')
  const icon = readLink(attachment, 'author_icon')
  return {
    author: {
      name,
      ...(url === undefined ? {} : { url }),
      ...(icon === undefined ? {} : { icon_url: icon }),
    },
  }
}

function footerOf(attachment: Members): Pick<Embed, 'footer'> {
  const text = plain(attachment, 'footer', limits.maxFooterText)
  if (text === undefined) return {}
  const icon = readLink(attachment, 'footer_icon')
  return { footer: icon === undefined ? { text } : { text, icon_url: icon } }
}

function fieldsOf(attachment: Members): Pick<Embed, 'fields'> {
  const fields = readObjects(attachment, 'fields')
    .slice(0, limits.maxEmbedFields)
    .flatMap(field => {
      const name = plain(field, 'title', limits.maxFieldName)
      const value = cut(readMarkup(field, 'value'), limits.maxFieldValue)
      if (name === undefined && value === '') return []
      const inline = field.short === true || field.short === 'true' || field.short === 1
      return [{ name: name ?? nothing, value: value === '' ? nothing : value, inline }]
    })
  return fields.length === 0 ? {} : { fields }
}

function readMarkup(from: Members, key: string): string {
  return fromMarkup(readHead(from, key)).trim()
}

function plain(from: Members, key: string, max: number): string | undefined {
  const text = cut(fromPlain(readHead(from, key)), max)
  return text === '' ? undefined : text
}

/** Never fails on a colour (D37): what is none is dropped. */
function readColor(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined
  const color = value.trim().toLowerCase()
  if (color === 'good' || color === 'warning' || color === 'danger') return slackColors[color]
  const [, digits] = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/.exec(color) ?? []
  if (digits === undefined) return undefined
  return Number.parseInt(digits.length === 3 ? digits.replace(/./g, '$&$&') : digits, 16)
}

/** Unix seconds as number or text. */
function readTime(value: unknown): string | undefined {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return undefined
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? undefined : normalizeTimestamp(date.toISOString())
}
