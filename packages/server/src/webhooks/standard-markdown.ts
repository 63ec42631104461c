import { escapeMarkdown } from './discord/escape-markdown.ts'

const code = /(```[\s\S]*?(?:```|$)|`[^`\n]+`)/
// The HTML elements that GitHub renders in Markdown. The web client would show the tags as text.
const htmlElements =
  'a|b|blockquote|br|center|code|dd|del|details|div|dl|dt|em|h[1-6]|hr|i|img|ins|kbd|li|ol|p|picture|pre|s|samp|' +
  'source|span|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|ul|var|video'
const htmlTag = new RegExp(String.raw`</?(?:${htmlElements})(?:\s[^<>]*)?/?>`, 'gi')

/**
 * Converts the Markdown of GitHub and Slack: removes comments, HTML tags, images and task lists, decodes entities,
 * replaces marks that messages do not have, and escapes what is text there and begins a spoiler in a message.
 */
export function convertStandardMarkdown(text: string): string {
  return text
    .split(code)
    .map((part, index) => (index % 2 === 0 ? simplifyMarkdown(part) : part))
    .join('')
    .replace(/\n(?:[ \t]*\n){2,}/g, '\n\n')
    .trim()
}

function simplifyMarkdown(text: string): string {
  return removeComments(text)
    .replace(htmlTag, '')
    .replaceAll('![', '[')
    .replaceAll('||', '\\|\\|')
    .replace(/^(?:[ \t]*>)+ ?/gm, signs => signs.replace(/> ?/g, '> '))
    .replace(/^([ \t]*)\+(?= )/gm, '$1-')
    .replace(/^([ \t]*\d{1,9})\)(?= )/gm, '$1.')
    .replace(/&(?:(amp|lt|gt|quot|nbsp)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi, decodeEntity)
    .replace(
      /^([ \t]*[-*+] )\[([ xX])\] /gm,
      (_, bullet: string, state: string) => `${bullet}${state === ' ' ? '☐' : '☑'} `,
    )
}

const namedEntities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: '\u00a0',
}

function decodeEntity(match: string, name?: string, decimal?: string, hex?: string): string {
  if (name !== undefined) return escapeMarkdown(namedEntities[name.toLowerCase()] ?? match)
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  const isCharacter = code > 31 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isCharacter ? escapeMarkdown(String.fromCodePoint(code)) : match
}

/** Removes HTML comments, which issue and pull request templates contain. An unclosed comment ends with the text. */
function removeComments(text: string): string {
  const [first = '', ...parts] = text.split('<!--')
  return parts.reduce((result, part) => {
    const end = part.indexOf('-->')
    return end < 0 ? result : result + part.slice(end + 3)
  }, first)
}
