import { everyonePattern, idPattern } from '@gatehouse/protocol/ids'
import { safeHref, showsUrl } from '../../ui/safe-url.ts'

/**
 * `href` has passed `safeHref`. `text` is for display. `value` is Unix seconds with an optional style (timestamp.tsx).
 */
export type Token =
  | { kind: 'text'; text: string }
  | { kind: 'break' }
  | { kind: 'link'; href: string; text: string }
  | { kind: 'user' | 'role' | 'channel'; id: string }
  | { kind: 'everyone'; text: '@everyone' | '@here' }
  | { kind: 'timestamp'; value: string }

// No space, quote, bracket of HTML, or punctuation of Chinese, Japanese and Korean, as in `（https://a.example）、`.
const urlCharacter = String.raw`[^\s<>"\`“”„«»[[\u3000-\u303f\ufe10-\ufe6f\uff00-\uffef]&&[\p{P}\p{S}]]]`

const pattern = new RegExp(
  [
    String.raw`(?<break>\r?\n)`,
    `(?<link>https?://${urlCharacter}+)`,
    `<(?<sign>@!?|@&|#)(?<id>${idPattern})>`,
    '<t:(?<timestamp>-?[0-9]{1,12}(?::[tTdDfFR])?)>',
    '<a?(?<emoji>:[A-Za-z0-9_]{2,32}:)[1-9][0-9]{16,19}>',
    `(?<everyone>${everyonePattern})`,
  ].join('|'),
  'gv',
)

/**
 * Finds links, mentions, timestamps and line breaks. Of a custom emoji of Discord, only the name remains. `everyone`:
 * whether the message notified everyone; otherwise `@everyone` is plain text.
 */
export function tokenize(text: string, everyone: boolean): Token[] {
  const tokens: Token[] = []
  let from = 0
  const addText = (until: number) => {
    if (until > from) tokens.push({ kind: 'text', text: text.slice(from, until) })
  }
  for (const match of text.matchAll(pattern)) {
    const groups = match.groups ?? {}
    if (groups.everyone && !everyone) continue
    const link = groups.link === undefined ? undefined : trimLink(groups.link)
    const href = link === undefined ? undefined : safeHref(link)
    if (link !== undefined && href === undefined) continue
    addText(match.index)
    from = match.index + (link?.length ?? match[0].length)
    if (href !== undefined && link !== undefined) {
      tokens.push({ kind: 'link', href, text: showsUrl(link, href) ? link : href })
    } else if (groups.id !== undefined)
      tokens.push({ kind: mentionKinds[groups.sign ?? ''] ?? 'user', id: groups.id })
    else if (groups.timestamp !== undefined) tokens.push({ kind: 'timestamp', value: groups.timestamp })
    else if (groups.emoji !== undefined) tokens.push({ kind: 'text', text: groups.emoji })
    else if (groups.everyone === '@everyone' || groups.everyone === '@here') {
      tokens.push({ kind: 'everyone', text: groups.everyone })
    } else tokens.push({ kind: 'break' })
  }
  addText(text.length)
  return tokens
}

const mentionKinds: Record<string, 'user' | 'role' | 'channel'> = {
  '@': 'user',
  '@!': 'user',
  '@&': 'role',
  '#': 'channel',
}

// Ends where a URL ends in Markdown: at an escape, `**` of the text around it, or the end of a link's text.
const markdownUrl = new RegExp(String.raw`^https?://(?:(?!\*\*(?!/)|\]\(|\\)${urlCharacter})+`, 'v')

/** The length of the URL at the start of a text in Markdown, or 0. */
export function urlLength(text: string): number {
  return trimLink(markdownUrl.exec(text)?.[0] ?? '').length
}

/** Removes punctuation of all scripts and unbalanced closing brackets at the end, which belong to the sentence. */
function trimLink(link: string): string {
  let end = link.length
  const unbalanced = {
    ')': count(link, ')') - count(link, '('),
    ']': count(link, ']') - count(link, '['),
  }
  for (; end > 0; end -= 1) {
    const last = link[end - 1] ?? ''
    if (last === ')' || last === ']') {
      if (unbalanced[last] <= 0) break
      unbalanced[last] -= 1
    } else if (!/[.,;:!?*_~'|]|(?!\p{ASCII})\p{P}/u.test(last)) break
  }
  return link.slice(0, end)
}

function count(text: string, character: string): number {
  return text.split(character).length - 1
}

/** Whether the text may contain Markdown. May return true for a text without it. */
export function hasMarkdown(text: string): boolean {
  const rest = text
    .replace(/<(?:@[!&]?|#)\d+>|<t:-?\d+(?::[a-z])?>|<a?:\w+:\d+>/gi, '')
    .replace(/https?:\/\/[^\s<>()[\]*`\\]+/g, '')
  return /[*_`~[\]<>\\|]|(?:^|\n)\s*(?:[-+#]|\d+[.)]\s)/.test(rest)
}
