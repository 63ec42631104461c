import { isId } from '@gatehouse/protocol/ids'
import { isJsonObject, type JsonObject, toBoolean } from '@gatehouse/protocol/json-object'
import { endsAtLineStart, endUrl, escapeMarkdown } from '../discord/escape-markdown.ts'
import type { Dropped } from '../truncate.ts'
import { addSkinTone, findEmoji } from './emoji.ts'
import { convertLink, decodeText, mrkdwnToMarkdown } from './mrkdwn.ts'
import { readSlackObjects, readSlackText, readTypedText } from './slack-members.ts'

/** Deeper lists are shown at this level. */
const maxIndent = 8

/**
 * Renders the elements of a block `rich_text`, one or more lines for each. `dropped` gets the types that are not known.
 */
export function renderRichText(block: JsonObject, dropped: Dropped): string {
  return readSlackObjects(block, 'elements')
    .map(element => renderElement(element, dropped))
    .filter(lines => lines !== '')
    .join('\n')
}

function renderElement(element: JsonObject, dropped: Dropped): string {
  switch (element.type) {
    case 'rich_text_section':
      return renderInline(element, dropped).trimEnd()
    case 'rich_text_list':
      return renderList(element, dropped)
    case 'rich_text_quote':
      return renderInline(element, dropped).trimEnd().replace(/^/gm, '> ')
    case 'rich_text_preformatted':
      return renderPreformatted(element)
    default:
      return renderUnknown(element, 'rich_text', dropped)
  }
}

/** Renders a text object: `mrkdwn`, `plain_text`, or '' for another type. */
export function renderTextObject(object: JsonObject): string {
  if (object.type === 'mrkdwn') return mrkdwnToMarkdown(readSlackText(object, 'text')).trim()
  return object.type === 'plain_text' ? escapeMarkdown(decodeText(readSlackText(object, 'text')).trim()) : ''
}

/** The type of a block or element for the delivery log. */
export function readType(element: JsonObject): string {
  return readSlackText(element, 'type').slice(0, 50) || 'without type'
}

/** Shows `text` or `fallback` of what is not known (webhooks/slack-unknown-blocks). */
export function renderUnknown(element: JsonObject, within: string, dropped: Dropped): string {
  const type = readType(element)
  dropped.add(within === '' ? type : `${within}/${type}`)
  const nested = isJsonObject(element.text) ? renderTextObject(element.text) : ''
  const text = readSlackText(element, 'text') || readSlackText(element, 'fallback')
  return nested || escapeMarkdown(text.trim())
}

function renderList(list: JsonObject, dropped: Dropped): string {
  const indent = '    '.repeat(Math.min(readCount(list.indent), maxIndent))
  const first = readCount(list.offset) + 1
  return readSlackObjects(list, 'elements')
    .map((item, index) => {
      const marker = list.style === 'ordered' ? `${first + index}. ` : '- '
      const text = renderInline(item, dropped).trim()
      return `${indent}${marker}${text.replaceAll('\n', `\n${indent}    `)}`
    })
    .join('\n')
}

function readCount(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? Math.min(value, 100_000) : 0
}

function renderPreformatted(element: JsonObject): string {
  const code = readSlackObjects(element, 'elements')
    .map(part => readTypedText(part, 'text') || readTypedText(part, 'url'))
    .join('')
  return code.trim() === '' ? '' : encloseInBackticks(`\n${code.replace(/^\n+|\n+$/g, '')}\n`, 3)
}

/** Code with more backticks around it than it contains. */
function encloseInBackticks(code: string, min: number): string {
  const longest = Math.max(0, ...(code.match(/`+/g) ?? []).map(run => run.length))
  const fence = '`'.repeat(longest < min ? min : longest + 1)
  const space = /^`|`$/.test(code) ? ' ' : ''
  return `${fence}${space}${code}${space}${fence}`
}

function renderInline(section: JsonObject, dropped: Dropped): string {
  let markdown = ''
  let startsLine = true
  const elements = readSlackObjects(section, 'elements')
  for (const [index, element] of elements.entries()) {
    const content = renderContent(element, startsLine, dropped)
    const next = elements[index + 1]
    const after = next === undefined ? '' : next.type === 'link' ? 'h' : readTypedText(next, 'text')
    const added = emphasize(endUrl(content, after), readStyle(element), markdown, after)
    markdown += added
    startsLine = endsAtLineStart(added, startsLine)
  }
  return markdown
}

interface Style {
  bold: boolean
  italic: boolean
  strike: boolean
}

function readStyle(element: JsonObject): Style {
  const style = isJsonObject(element.style) ? element.style : {}
  const has = (name: string) => toBoolean(style[name]) === true
  return { bold: has('bold'), italic: has('italic'), strike: has('strike') }
}

function renderContent(element: JsonObject, startsLine: boolean, dropped: Dropped): string {
  const toMarkdown = (text: string) => escapeMarkdown(text, startsLine)
  switch (element.type) {
    case 'text':
      return renderText(element, toMarkdown)
    case 'link': {
      const url = readSlackText(element, 'url').trim()
      const text = readSlackText(element, 'text')
      return convertLink(url, text === '' ? undefined : text) ?? toMarkdown(text || url)
    }
    case 'emoji':
      return renderEmoji(element)
    case 'user':
      return renderMention('@', readSlackText(element, 'user_id'), toMarkdown)
    case 'channel':
      return renderMention('#', readSlackText(element, 'channel_id'), toMarkdown)
    case 'usergroup':
      return toMarkdown(`@${readSlackText(element, 'usergroup_id')}`)
    case 'team':
      return toMarkdown(`@${readSlackText(element, 'team_id')}`)
    case 'broadcast':
      return toMarkdown(`@${readSlackText(element, 'range')}`)
    case 'date':
      return renderDate(element, toMarkdown)
    case 'color':
      return toMarkdown(readSlackText(element, 'value'))
    default:
      return renderUnknown(element, 'rich_text', dropped)
  }
}

function renderText(element: JsonObject, toMarkdown: (text: string) => string): string {
  const text = readTypedText(element, 'text')
  const isCode = isJsonObject(element.style) && toBoolean(element.style.code) === true
  return isCode ? text.replace(/[^\n]*\S[^\n]*/g, line => encloseInBackticks(line, 1)) : toMarkdown(text)
}

function renderEmoji(element: JsonObject): string {
  const codes = readSlackText(element, 'unicode')
  if (/^[0-9a-f]{2,5}(?:-[0-9a-f]{2,5}){0,9}$/i.test(codes)) {
    return String.fromCodePoint(...codes.split('-').map(code => Number.parseInt(code, 16)))
  }
  const name = readSlackText(element, 'name')
  const emoji = findEmoji(name)
  if (emoji === undefined) return escapeMarkdown(`:${name}:`)
  return addSkinTone(emoji, `skin-tone-${element.skin_tone}`) ?? emoji
}

function renderMention(sign: '@' | '#', id: string, toMarkdown: (text: string) => string): string {
  return isId(id) ? `<${sign}${id}>` : toMarkdown(`${sign}${id}`)
}

/** The parts of `format`, as styles of a timestamp in Markdown. */
const timestampStyles: Readonly<Record<string, string>> = {
  date_num: 'd',
  time: 't',
  time_secs: 'T',
  ago: 'R',
}

function renderDate(element: JsonObject, toMarkdown: (text: string) => string): string {
  const fallback = readSlackText(element, 'fallback')
  const url = readSlackText(element, 'url')
  const seconds = Number(element.timestamp)
  if (url !== '' && fallback !== '') return convertLink(url, fallback) ?? toMarkdown(fallback)
  if (!Number.isInteger(seconds) || Math.abs(seconds) > 8e12) return toMarkdown(fallback)
  const format = readSlackText(element, 'format') || '{date} {time}'
  return format
    .split(/\{([a-z_]+)\}/)
    .map((part, index) =>
      index % 2 === 0 ? toMarkdown(part) : `<t:${seconds}:${timestampStyles[part] ?? 'D'}>`,
    )
    .join('')
}

/**
 * Encloses each line in the marks of its style. `before` and `after` are the text around it: without white space or
 * punctuation there, Markdown would show some marks, so the style is left out.
 */
function emphasize(content: string, style: Style, before: string, after: string): string {
  const mark = `${style.bold ? '**' : ''}${style.italic ? '*' : ''}`
  if (mark === '' && !style.strike) return content
  const lines = content.split('\n')
  return lines
    .map((line, index) => {
      const [, start = '', text = '', end = ''] = /^(\s*)(.*?)(\s*)$/u.exec(line) ?? []
      if (text === '') return line
      const struck = style.strike ? `~~${text}~~` : text
      const previous = start || (index === 0 ? before.slice(-1) : ' ')
      const following = end || (index === lines.length - 1 ? after.slice(0, 1) : ' ')
      return `${start}${canEnclose(previous, struck, following) ? `${mark}${struck}${mark}` : struck}${end}`
    })
    .join('\n')
}

/** CommonMark 0.31, section 6.2: whether `*` before and after a text begins and ends emphasis. */
function canEnclose(before: string, text: string, after: string): boolean {
  const separates = /^$|[\s\p{P}\p{S}]/u
  const isWord = (character: string) => !separates.test(character)
  if (before === '*' || after.startsWith('*')) return false
  return (isWord(text.charAt(0)) || !isWord(before)) && (isWord(text.slice(-1)) || !isWord(after))
}
