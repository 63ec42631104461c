/**
 * Returns the URL if its scheme is http, https or mailto. Checks the scheme of the parsed URL, because `java\tscript:` is
 * parsed as `javascript:`.
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

/** Returns the URL of an image if it is an https URL or a path of the service. */
export function safeImage(url: string | null | undefined): string | undefined {
  if (!url) return undefined
  if (/^\/(?![/\\])/.test(url)) return url
  const href = safeHref(url)
  return href?.startsWith('https:') ? href : undefined
}
