import { isId } from '@gatehouse/protocol/ids'
import { urlFault } from '@gatehouse/protocol/urls'
import { withEmoji } from './emoji.ts'

// https://api.slack.com/reference/surfaces/formatting: what stands in code is shown as it is.
const code = /```[\s\S]*?```|`[^`\n]+`/g
// A pair of angle brackets is one piece, so that no sign inside an address counts as emphasis.
const bracket = /<[^<>\n]*>/
const inside = (sign: string) => `((?:<[^<>\\n]*>|<(?![^<>\\n]*>)|[^${sign}\\n<])+)`
const emphasis = new RegExp(
  [
    bracket.source,
    ...['*', '~'].map(
      sign =>
        `(?<![\\p{L}\\p{N}${sign}])[${sign}](?=\\S)${inside(sign)}(?<=\\S)[${sign}](?![\\p{L}\\p{N}${sign}])`,
    ),
  ].join('|'),
  'gu',
)
const special = /<([^<>\n]*)>|&(amp|lt|gt);/g

/** Slack's markup as Markdown: emphasis, links, mentions, entities (D47). */
export function fromMarkup(text: string): string {
  let result = ''
  let from = 0
  for (const match of text.matchAll(code)) {
    result += fromProse(text.slice(from, match.index)) + unwrapped(match[0])
    from = match.index + match[0].length
  }
  return result + fromProse(text.slice(from))
}

/** Text without emphasis, as in a title: only emoji, entities and what stands in angle brackets. */
export function fromPlain(text: string): string {
  return withEmoji(unwrapped(text))
}

function fromProse(text: string): string {
  // An address may have what looks like one.
  const pieces = text.split(new RegExp(`(${bracket.source})`))
  return pieces
    .map((piece, index) => (index % 2 === 0 ? withEmoji(piece) : piece))
    .join('')
    .replace(emphasis, (whole: string, bold: string | undefined, struck: string | undefined) => {
      if (bold !== undefined) return `**${bold}**`
      return struck === undefined ? whole : `~~${struck}~~`
    })
    .replace(
      special,
      (whole: string, content: string | undefined, entity: string | undefined, at: number, all: string) =>
        content === undefined ? shown(entity, all[at + whole.length]) : fromBrackets(content, whole),
    )
}

function unwrapped(text: string): string {
  return text.replace(special, (_, content: string | undefined, entity: string | undefined) =>
    content === undefined ? decoded(entity) : bare(content),
  )
}

function decoded(entity: string | undefined): string {
  return entity === 'lt' ? '<' : entity === 'gt' ? '>' : '&'
}

/** Check 11: a bracket that was written out must not become a mention, so something unseen stands behind it. */
function shown(entity: string | undefined, next: string | undefined): string {
  const text = decoded(entity)
  return text === '<' && next !== undefined && '@#!'.includes(next) ? `${text}\u200b` : text
}

function fromBrackets(content: string, whole: string): string {
  const { target, label } = split(content)
  const named = label === undefined ? undefined : fromPlain(label)
  switch (target.charAt(0)) {
    case '@':
      return isId(target.slice(1)) ? `<${target}>` : `@${(named ?? target).replace(/^@/, '')}`
    case '#':
      return isId(target.slice(1)) ? `<${target}>` : `#${(named ?? target).replace(/^#/, '')}`
    case '!':
      return fromCommand(target.slice(1), named)
    default:
      return fromLink(target, named) ?? whole
  }
}

/** `!here`, `!subteam^ID|@name`, `!date^…|words`: words; whom they notify is not for the text to say. */
function fromCommand(command: string, label: string | undefined): string {
  const [word = ''] = command.split('^')
  if (word === 'here' || word === 'channel' || word === 'everyone') return `@${word}`
  return label ?? `@${word}`
}

/** Undefined for what is no address (check 12): it stays as it was written. */
function fromLink(target: string, label: string | undefined): string | undefined {
  const address = unwrapped(target).trim()
  if (address.startsWith('mailto:') || address.startsWith('tel:')) {
    return label ?? address.slice(address.indexOf(':') + 1)
  }
  if (urlFault(address) !== undefined) return undefined
  return label === undefined ? escapedAddress(address) : linkTo(address, label)
}

/** A link in Markdown; the address alone where there are no words for it. `address` is one that `urlFault` passes. */
export function linkTo(address: string, label: string): string {
  const safe = escapedAddress(address)
  if (label.trim() === '' || label === address) return safe
  // Check 13: nothing in the words may end them and begin another link.
  return `[${label.replace(/[\\[\]()]/g, '\\$&')}](${safe})`
}

function escapedAddress(address: string): string {
  return address.replace(/[()<>\\\s]/g, sign => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

function bare(content: string): string {
  const { target, label } = split(content)
  return label ?? target
}

function split(content: string): { target: string; label: string | undefined } {
  const bar = content.indexOf('|')
  return bar < 0
    ? { target: content, label: undefined }
    : { target: content.slice(0, bar), label: content.slice(bar + 1) }
}
