/** A text in pieces: what is written, where a link or a line begins, who is mentioned. */
export type Token =
  | { kind: 'text'; text: string }
  | { kind: 'break' }
  | { kind: 'link'; href: string }
  | { kind: 'user' | 'role' | 'channel'; id: string }
  | { kind: 'everyone'; text: '@everyone' | '@here' }
  | { kind: 'moment'; moment: string }

const pattern =
  /(?<break>\r?\n)|(?<link>https?:\/\/[^\s<>"'`]+)|<(?<sign>@!?|@&|#)(?<id>[1-9][0-9]{16,19})>|<t:(?<moment>-?[0-9]{1,12}(?::[tTdDfFR])?)>|<a?(?<emoji>:[A-Za-z0-9_]{2,32}:)[1-9][0-9]{16,19}>|(?<![\p{L}\p{N}_])(?<everyone>@everyone|@here)(?![\p{L}\p{N}_])/gu

/**
 * Finds bare links, mentions, moments and line breaks; of another platform's own emoji the name is left. `@everyone` is a mention only where the message notified everyone:
 * otherwise it is the text that it is.
 */
export function tokenize(text: string, everyone: boolean): Token[] {
  const tokens: Token[] = []
  let from = 0
  const plain = (until: number) => {
    if (until > from) tokens.push({ kind: 'text', text: text.slice(from, until) })
  }
  for (const match of text.matchAll(pattern)) {
    const groups = match.groups ?? {}
    if (groups.everyone && !everyone) continue
    const link = groups.link === undefined ? undefined : trimLink(groups.link)
    const href = link === undefined ? undefined : safeHref(link)
    if (link !== undefined && href === undefined) continue
    plain(match.index)
    from = match.index + (link?.length ?? match[0].length)
    if (href !== undefined) tokens.push({ kind: 'link', href })
    else if (groups.id !== undefined)
      tokens.push({ kind: mentionKinds[groups.sign ?? ''] ?? 'user', id: groups.id })
    else if (groups.moment !== undefined) tokens.push({ kind: 'moment', moment: groups.moment })
    else if (groups.emoji !== undefined) tokens.push({ kind: 'text', text: groups.emoji })
    else if (groups.everyone === '@everyone' || groups.everyone === '@here') {
      tokens.push({ kind: 'everyone', text: groups.everyone })
    } else tokens.push({ kind: 'break' })
  }
  plain(text.length)
  return tokens
}

const mentionKinds: Record<string, 'user' | 'role' | 'channel'> = {
  '@': 'user',
  '@!': 'user',
  '@&': 'role',
  '#': 'channel',
}

/** Punctuation after a link belongs to the sentence, a bracket that was not opened in it too. */
function trimLink(link: string): string {
  let end = link.length
  while (end > 0) {
    const last = link[end - 1] ?? ''
    const inside = link.slice(0, end)
    if ('.,;:!?…*_~'.includes(last)) end -= 1
    else if (last === ')' && count(inside, ')') > count(inside, '(')) end -= 1
    else if (last === ']' && count(inside, ']') > count(inside, '[')) end -= 1
    else break
  }
  return link.slice(0, end)
}

function count(text: string, character: string): number {
  return text.split(character).length - 1
}

/**
 * The address as it may stand in a link, or undefined. The scheme is that of the parsed address, never a prefix:
 * `java\tscript:` and its like parse to `javascript:`.
 */
export function safeHref(address: string | null | undefined): string | undefined {
  if (!address) return undefined
  try {
    const url = new URL(address)
    if (url.protocol === 'http:' || url.protocol === 'https:') return url.href
    return url.protocol === 'mailto:' ? url.href : undefined
  } catch {
    return undefined
  }
}

/** A picture of a stranger: https only. One of the service: a path. */
export function safeImage(address: string | null | undefined): string | undefined {
  if (!address) return undefined
  if (/^\/(?![/\\])/.test(address)) return address
  const href = safeHref(address)
  return href?.startsWith('https:') ? href : undefined
}

/** Whether the text has anything in it that only a Markdown parser understands. Errs towards yes. */
export function hasMarkdown(text: string): boolean {
  const rest = text
    .replace(/<(?:@[!&]?|#)\d+>|<t:-?\d+(?::[a-z])?>|<a?:\w+:\d+>/gi, '')
    .replace(/https?:\/\/[^\s<>()[\]*`]+/g, '')
  return /[*_`~[\]<>\\|&]|(?:^|\n)\s*(?:[-+#]|\d+[.)]\s)/.test(rest)
}
