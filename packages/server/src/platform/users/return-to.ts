const MAX_LENGTH = 8192

/**
 * Where a person goes after a sign-in: path, query and fragment of an address of this service, undefined for anything
 * that could lead elsewhere in any browser's reading (RFC 9700 §4.11).
 */
export function returnTo(raw: unknown, baseUrl: string): string | undefined {
  if (typeof raw !== 'string' || raw.length > MAX_LENGTH || !isLocalPath(raw)) return undefined
  if (!URL.canParse(raw, baseUrl)) return undefined
  const url = new URL(raw, baseUrl)
  if (url.origin !== new URL(baseUrl).origin || url.username !== '') return undefined
  // `/.//elsewhere` is a path of ours to the parser that read it, and `//elsewhere` to the next one.
  const path = url.pathname + url.search + url.hash
  return isLocalPath(path) ? path : undefined
}

/** One slash first, and no character that some browser drops or takes for a slash. */
function isLocalPath(text: string): boolean {
  return /^\/(?!\/)/.test(text) && !/[\\ \p{Cc}]/u.test(text) && text.isWellFormed()
}
