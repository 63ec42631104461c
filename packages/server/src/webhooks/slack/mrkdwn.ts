import { splitCode } from '@gatehouse/protocol/code'
import { separateCode } from '@gatehouse/protocol/code-blocks'
import { isId } from '@gatehouse/protocol/ids'
import { findUrlViolation } from '@gatehouse/protocol/urls'
import { endsAtLineStart, endUrl, escapeMarkdown, formatLink, formatUrl } from '../discord/escape-markdown.ts'
import { replaceEmojiNames } from './emoji.ts'

// A whole `<…>` is matched first, so that characters of a URL do not count as emphasis.
const bracket = /<[^<>\n]*>/
const emphasizedText = (mark: string) => `(?:<[^<>\\n]*>|<(?![^<>\\n]*>)|[^${mark}\\n<])+`
const marks = { '*': '**', _: '_', '~': '~~' } as const
const quote = /(?<=^[^\S\n]*)(?:(?:&gt;|>)[^\S\n]*)+/
/** What is more than text: brackets, emphasis and, at the start of a line, marks of quotes. */
const markup = new RegExp(
  [
    bracket.source,
    quote.source,
    ...Object.keys(marks).map(
      mark =>
        `(?<![\\p{L}\\p{N}${mark}])[${mark}](?=\\S)${emphasizedText(mark)}(?<=\\S)[${mark}](?![\\p{L}\\p{N}${mark}])`,
    ),
  ].join('|'),
  'gmu',
)
/** What a bracket contains, unless it is text such as `List<String>`. */
const reference =
  /^(?:https?:|mailto:|tel:|[@#][A-Za-z0-9]+$|!(?:here|channel|everyone)$|!(?:subteam|date)\^)/i
const entities: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }

/**
 * Converts mrkdwn to Markdown: emphasis, links, mentions, quotes, entities, emoji and blocks of code
 * (webhooks/slack-conversion). In code, brackets and entities are decoded, and emphasis and emoji names stay as they
 * are. See https://api.slack.com/reference/surfaces/formatting
 */
export function mrkdwnToMarkdown(text: string): string {
  const parts = splitCode(text).map(part =>
    // `separateCode` may begin a line after code.
    part.fence > 0 ? decodeBrackets(part.text) : convertProse(part.text, true),
  )
  return separateCode(parts.join(''), { languages: false })
}

/** Decodes text without emphasis, for example a title: emoji, entities and links, of which only the text remains. */
export function decodeTitle(text: string): string {
  return replaceEmojiNames(decodeBrackets(text))
}

/** Decodes text without emphasis and links, as that of a `plain_text` object: emoji and entities. */
export function decodeText(text: string): string {
  return replaceEmojiNames(decodeEntities(text))
}

/** `startsLine`: whether the Markdown before this text ends at the start of a line. */
function convertProse(text: string, startsLine: boolean): string {
  let markdown = ''
  let read = 0
  let atStart = startsLine
  const add = (added: string) => {
    markdown += added
    atStart = endsAtLineStart(added, atStart)
  }
  for (const match of text.matchAll(markup)) {
    add(escapeMarkdown(decodeText(text.slice(read, match.index)), atStart))
    const [found] = match
    read = match.index + found.length
    add(endUrl(convertMarkup(found, atStart), text.charAt(read)))
  }
  return markdown + escapeMarkdown(decodeText(text.slice(read)), atStart)
}

function convertMarkup(found: string, startsLine: boolean): string {
  const [mark = ''] = found
  if (mark === '*' || mark === '_' || mark === '~') {
    return `${marks[mark]}${convertProse(found.slice(1, -1), false)}${marks[mark]}`
  }
  // On Slack, a quote needs no space, and `>>>` quotes the rest of the text.
  if (mark === '>' || mark === '&') {
    const signs = found.replaceAll('&gt;', '>').replace(/\s/g, '')
    return signs === '>>>' ? '>>> ' : signs.replaceAll('>', '> ')
  }
  return convertBracket(found.slice(1, -1)) ?? escapeMarkdown(decodeText(found), startsLine)
}

/** Decodes entities, and references to the text that they show. */
function decodeBrackets(text: string): string {
  return text
    .split(new RegExp(`(${bracket.source})`))
    .map((part, index) => decodeEntities(index % 2 === 0 ? part : shownText(part)))
    .join('')
}

function shownText(found: string): string {
  const { target, label } = splitLabel(found.slice(1, -1))
  return reference.test(target) ? (label ?? target) : found
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:amp|lt|gt);/g, entity => entities[entity] ?? entity)
}

/** Returns undefined for what is no reference, which then is text. */
function convertBracket(content: string): string | undefined {
  const { target, label } = splitLabel(content)
  if (!reference.test(target)) return undefined
  const sign = target.charAt(0)
  const name = label === undefined ? undefined : decodeText(label)
  if (sign === '@' || sign === '#') {
    if (isId(target.slice(1))) return `<${target}>`
    const shown = name ?? target
    return escapeMarkdown(shown.startsWith(sign) ? shown : `${sign}${shown}`)
  }
  if (sign === '!') return escapeMarkdown(convertCommand(target.slice(1), name))
  const url = decodeEntities(target).trim()
  // Sentry sends the bold text of a link within it.
  const [, bold] = /^\*(\S|\S.*\S)\*$/.exec(name ?? '') ?? []
  if (bold === undefined) return convertLink(url, name)
  const link = convertLink(url, bold)
  return link?.startsWith('[') ? `**${link}**` : link
}

/**
 * Converts `!here`, `!subteam^ID|@name` and `!date^…|text` to text such as `@channel`, which notifies nobody
 * (webhooks/slack-mentions).
 */
function convertCommand(command: string, label: string | undefined): string {
  const [name = ''] = command.split('^')
  return name === command ? `@${name}` : (label ?? `@${name}`)
}

/** Returns undefined for a URL that is not supported (webhooks/slack-unsafe-links). */
export function convertLink(url: string, label: string | undefined): string | undefined {
  if (/^(?:mailto|tel):/.test(url)) return escapeMarkdown(label ?? url.slice(url.indexOf(':') + 1))
  if (findUrlViolation(url) !== undefined) return undefined
  return label === undefined ? formatUrl(url) : formatLink(url, label)
}

function splitLabel(content: string): { target: string; label: string | undefined } {
  const separator = content.indexOf('|')
  return separator < 0
    ? { target: content, label: undefined }
    : { target: content.slice(0, separator), label: content.slice(separator + 1) }
}
