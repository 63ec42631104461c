import { separateCode, splitCode } from '@gatehouse/protocol/code'
import { isId } from '@gatehouse/protocol/ids'
import { findUrlViolation } from '@gatehouse/protocol/urls'
import { replaceEmojiNames } from './emoji.ts'

// A whole `<…>` is matched first, so that characters of a URL do not count as emphasis.
const bracket = /<[^<>\n]*>/
const emphasizedText = (mark: string) => `((?:<[^<>\\n]*>|<(?![^<>\\n]*>)|[^${mark}\\n<])+)`
// `_italic_` is the same in Markdown.
const emphasis = new RegExp(
  [
    bracket.source,
    ...['*', '~'].map(
      mark =>
        `(?<![\\p{L}\\p{N}${mark}])[${mark}](?=\\S)${emphasizedText(mark)}(?<=\\S)[${mark}](?![\\p{L}\\p{N}${mark}])`,
    ),
  ].join('|'),
  'gu',
)
const bracketOrEntity = /<([^<>\n]*)>|&(amp|lt|gt);/g

/**
 * Converts mrkdwn to Markdown: emphasis, links, mentions, entities, emoji and blocks of code (webhooks/slack-conversion).
 * In code, brackets and entities are decoded, and emphasis and emoji names stay as they are. See https://api.slack.com/reference/surfaces/formatting
 */
export function mrkdwnToMarkdown(text: string): string {
  const parts = splitCode(text).map(part =>
    part.fence > 0 ? decodeBracketsAndEntities(part.text) : convertProse(part.text),
  )
  return separateCode(parts.join(''), { languages: false })
}

/** Decodes `plain_text`, for example a title: emoji, entities and brackets, but no emphasis. No decoded `<` begins a mention. */
export function decodePlainText(text: string): string {
  return replaceEmojiNames(decodeBracketsAndEntities(text, escapeDecoded))
}

function convertProse(text: string): string {
  // A URL may contain what looks like an emoji name.
  const parts = text.split(new RegExp(`(${bracket.source})`))
  return parts
    .map((part, index) => (index % 2 === 0 ? replaceEmojiNames(part) : part))
    .join('')
    .replace(emphasis, (match: string, bold: string | undefined, struck: string | undefined) => {
      if (bold !== undefined) return `**${bold}**`
      return struck === undefined ? match : `~~${struck}~~`
    })
    .replace(
      bracketOrEntity,
      (
        match: string,
        content: string | undefined,
        entity: string | undefined,
        offset: number,
        all: string,
      ) =>
        content === undefined
          ? escapeDecoded(decodeEntity(entity), all[offset + match.length])
          : convertBracket(content, match),
    )
}

function decodeBracketsAndEntities(
  text: string,
  convert: (decoded: string, next: string | undefined) => string = decoded => decoded,
): string {
  return text.replace(
    bracketOrEntity,
    (match: string, content: string | undefined, entity: string | undefined, offset: number, all: string) => {
      if (content === undefined) return convert(decodeEntity(entity), all[offset + match.length])
      const { target, label } = splitLabel(content)
      return label ?? target
    },
  )
}

function decodeEntity(entity: string | undefined): string {
  return entity === 'lt' ? '<' : entity === 'gt' ? '>' : '&'
}

/** Adds a zero-width space after a decoded `<`, so that `&lt;@id&gt;` does not become a mention (webhooks/slack-mentions). */
function escapeDecoded(text: string, next: string | undefined): string {
  return text === '<' && next !== undefined && '@#!'.includes(next) ? `${text}\u200b` : text
}

function convertBracket(content: string, match: string): string {
  const { target, label } = splitLabel(content)
  const labelText = label === undefined ? undefined : decodePlainText(label)
  switch (target.charAt(0)) {
    case '@':
      return isId(target.slice(1)) ? `<${target}>` : `@${(labelText ?? target).replace(/^@/, '')}`
    case '#':
      return isId(target.slice(1)) ? `<${target}>` : `#${(labelText ?? target).replace(/^#/, '')}`
    case '!':
      return convertCommand(target.slice(1), labelText)
    default:
      return convertLink(target, labelText) ?? match
  }
}

/** Converts `!here`, `!subteam^ID|@name` and `!date^…|text` to text such as `@channel`, which notifies nobody (webhooks/slack-mentions). */
function convertCommand(command: string, label: string | undefined): string {
  const [name = ''] = command.split('^')
  if (name === 'here' || name === 'channel' || name === 'everyone') return `@${name}`
  return label ?? `@${name}`
}

/** Returns undefined for an unsupported URL, which is then copied unchanged (webhooks/slack-unsafe-links). */
function convertLink(target: string, label: string | undefined): string | undefined {
  const url = decodeBracketsAndEntities(target).trim()
  if (url.startsWith('mailto:') || url.startsWith('tel:')) {
    return label ?? url.slice(url.indexOf(':') + 1)
  }
  if (findUrlViolation(url) !== undefined) return undefined
  return label === undefined ? escapeUrl(url) : formatLink(url, label)
}

/** Formats a link as Markdown, or as the URL if the label is empty. `url` must be valid for `findUrlViolation`. */
export function formatLink(url: string, label: string): string {
  const escaped = escapeUrl(url)
  if (label.trim() === '' || label === url) return escaped
  // The label must not end the link and begin another one (webhooks/slack-link-text).
  return `[${label.replace(/[\\[\]()]/g, '\\$&')}](${escaped})`
}

function escapeUrl(url: string): string {
  return url.replace(/[()<>\\\s]/g, char => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

function splitLabel(content: string): { target: string; label: string | undefined } {
  const separator = content.indexOf('|')
  return separator < 0
    ? { target: content, label: undefined }
    : { target: content.slice(0, separator), label: content.slice(separator + 1) }
}
