import type { Members } from '@gatehouse/protocol/members'
import { words } from './read.ts'

const code = /(```[\s\S]*?(?:```|$)|`[^`\n]+`)/
// What GitHub renders of HTML: here it would stand as it was written. Its words stay.
const tag =
  /<\/?(?:a|b|blockquote|br|center|code|dd|del|details|div|dl|dt|em|h[1-6]|hr|i|img|ins|kbd|li|ol|p|picture|pre|s|samp|source|span|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|ul|var|video)(?:\s[^<>]*)?\/?>/gi

/** The `body` that a person wrote on GitHub, without what only GitHub shows: comments, HTML, pictures, boxes. */
export function body(from: Members): string {
  return words(from, 'body')
    .split(code)
    .map((piece, index) => (index % 2 === 0 ? plainer(piece) : piece))
    .join('')
    .replace(/\n(?:[ \t]*\n){2,}/g, '\n\n')
    .trim()
}

function plainer(text: string): string {
  return withoutComments(text)
    .replace(tag, '')
    .replaceAll('![', '[')
    .replace(
      /^([ \t]*[-*+] )\[([ xX])\] /gm,
      (_, bullet: string, box: string) => `${bullet}${box === ' ' ? '☐' : '☑'} `,
    )
}

/** Templates of issues and pull requests are full of them. One that is not closed goes on to the end. */
function withoutComments(text: string): string {
  const [first = '', ...others] = text.split('<!--')
  return others.reduce((kept, piece) => {
    const end = piece.indexOf('-->')
    return end < 0 ? kept : kept + piece.slice(end + 3)
  }, first)
}
