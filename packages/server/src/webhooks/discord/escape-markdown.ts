// Each alternative is a character that begins something in the Markdown of messages, where it stands. `\0` and `^` are
// the start of a text within a line and of a line.
const special = new RegExp(
  [
    // Letters and digits keep a backslash: `C:\Users`.
    String.raw`\\(?![A-Za-z0-9]|[^\s\u0000-\u007f])`,
    '[*`]',
    String.raw`(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])`,
    // A pair, or a character that may be one of a pair with the text beside this text.
    ...['~', String.raw`\|`].map(mark => String.raw`(?<=^|\0|${mark})${mark}|${mark}(?=${mark}|$)`),
    // Of an address, a mention, a time or an emoji.
    String.raw`<(?=[^\s<>]*(?:[@#:]|(?![\s\S])))`,
    // Of a link. The label may begin anywhere, so it is prevented at its end.
    String.raw`\](?=\(|(?![\s\S]))`,
    // At the start of a line: quotes, headings, small text, lists and lines.
    String.raw`(?<=^[^\S\n]*)(?:>|#(?=#{0,5}(?:\s|$)))`,
    String.raw`(?<=^[^\S\n]*)[-+](?=[\s#-]|$)`,
    String.raw`(?<=^[^\S\n]*\d{0,9})[.)](?=\s|$)`,
  ].join('|'),
  'gmu',
)

/**
 * Text as Markdown that shows exactly this text (webhooks/text-as-sent). `startsLine`: whether the text is at the start
 * of a line, where lists and headings begin. Otherwise more is escaped at its start and end than without the text
 * around it.
 */
export function escapeMarkdown(text: string, startsLine = true): string {
  // No text contains U+0000.
  return (startsLine ? text : `\0${text}`)
    .replace(special, (character, offset: number, all: string) => {
      // `\<\@id>`: what finds mentions that notify does not know backslashes.
      const isMention = character === '<' && /[@#]/.test(all[offset + 1] ?? '')
      return isMention ? '\\<\\' : `\\${character}`
    })
    .replace(/^\0/, '')
}

/**
 * Whether a text after `markdown` is at the start of a line, or of a quote on it. `startsLine`: whether `markdown` is.
 */
export function endsAtLineStart(markdown: string, startsLine: boolean): boolean {
  const end = markdown.lastIndexOf('\n')
  return (startsLine || end >= 0) && /^[\s>]*\d{0,9}$/.test(markdown.slice(end + 1))
}

/** A link with a text, or only the URL if there is no other text. `url` must be valid for `findUrlViolation`. */
export function formatLink(url: string, label: string): string {
  const text = label.replace(/\s+/g, ' ').trim()
  if (text === '' || text === url) return formatUrl(url)
  // The label must not end the link and begin another one (webhooks/slack-link-text).
  const escaped = text
    .split(/([[\]])/)
    .map((part, index) => (index % 2 === 0 ? escapeMarkdown(part, false) : `\\${part}`))
  return `[${escaped.join('')}](${encodeUrl(url)})`
}

/**
 * A URL as text, in which `~`, `_` and `*` mean nothing, or between `<` and `>` if its end would be taken for
 * punctuation or a mark of the text around it.
 */
export function formatUrl(url: string): string {
  const encoded = encodeUrl(url).replaceAll('|', '%7C').replaceAll('`', '%60')
  return /\*\*|"|[^\p{L}\p{N}/]$|[^\p{L}\p{N}\p{ASCII}]/u.test(encoded) ? `<${encoded}>` : encoded
}

/** Markdown that may be only a URL, so that it ends before the text `after` it. */
export function endUrl(markdown: string, after: string): string {
  return /^https?:\S+$/.test(markdown) && /^[^\s<>)\].,:;!?*_~`]/.test(after) ? `<${markdown}>` : markdown
}

function encodeUrl(url: string): string {
  return url.replace(/[()<>\\\s]/g, char => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
