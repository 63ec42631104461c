import type { JsonObject } from '@gatehouse/protocol/json-object'
import { readText } from './event.ts'

const code = /(```[\s\S]*?(?:```|$)|`[^`\n]+`)/
// The HTML elements that GitHub renders in Markdown. The web client would show the tags as text.
const htmlTag =
  /<\/?(?:a|b|blockquote|br|center|code|dd|del|details|div|dl|dt|em|h[1-6]|hr|i|img|ins|kbd|li|ol|p|picture|pre|s|samp|source|span|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|ul|var|video)(?:\s[^<>]*)?\/?>/gi

/** Reads `body` as Markdown without what only GitHub renders: comments, HTML tags, images and task lists. */
export function readBody(from: JsonObject): string {
  return readText(from, 'body')
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
    .replace(
      /^([ \t]*[-*+] )\[([ xX])\] /gm,
      (_, bullet: string, state: string) => `${bullet}${state === ' ' ? '☐' : '☑'} `,
    )
}

/** Removes HTML comments, which issue and pull request templates contain. An unclosed comment ends with the text. */
function removeComments(text: string): string {
  const [first = '', ...parts] = text.split('<!--')
  return parts.reduce((result, part) => {
    const end = part.indexOf('-->')
    return end < 0 ? result : result + part.slice(end + 3)
  }, first)
}
