/**
 * Returns the URL if its scheme is http, https or mailto. Checks the scheme of the parsed URL, because `java\tscript:`
 * is parsed as `javascript:`.
 */
export function safeHref(url: string | null | undefined): string | undefined {
  if (!url) return undefined
  try {
    const { protocol, href } = new URL(url)
    return ['http:', 'https:', 'mailto:'].includes(protocol) ? href : undefined
  } catch {
    return undefined
  }
}

/** What a link leads to, for display: the host with its port, in ASCII (RFC 5891 §3.1), or the address of a mail. */
export function linkTarget(href: string): string {
  const { host, pathname } = new URL(href)
  return host || pathname
}

/**
 * Whether a reader may take the text for an address: it has a scheme or something like a host, in any script, or is
 * empty.
 */
export function looksLikeUrl(text: string): boolean {
  const shown = text.normalize('NFKC').replace(/\p{Cf}/gu, '')
  return /^\s*$|:\/\/|[\p{L}\p{N}][.。]\p{L}\p{M}*[\p{L}\p{N}-]|\d(?:[.。]\d+){3}|^localhost\b|\S@\S/iu.test(
    shown,
  )
}

/**
 * Whether the text of a link is its URL, with or without the scheme, so that it cannot mislead about the target. False
 * if other characters can look like the host, or if text before an `@` can.
 */
export function showsUrl(text: string, href: string): boolean {
  const shown = text.trim()
  const [, authority = ''] = /^(?:https?:\/\/)?([^/?#]*)/i.exec(shown) ?? []
  if (/[^!-~]/.test(authority) || /\p{Cf}/u.test(shown)) return false
  const { href: target, protocol } = new URL(href)
  if (protocol !== 'mailto:' && authority.includes('@')) return false
  return [shown, `https://${shown}`, `http://${shown}`, `mailto:${shown}`].some(
    candidate => URL.canParse(candidate) && new URL(candidate).href === target,
  )
}
