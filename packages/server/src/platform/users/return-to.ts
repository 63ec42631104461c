const MAX_LENGTH = 8192

/**
 * Validates the URL to open after a sign-in. Returns path, query and fragment of a URL of this service. Undefined for
 * everything that any browser could resolve to another origin: no open redirector (RFC 9700 §4.11).
 */
export function parseReturnTo(raw: unknown, baseUrl: string): string | undefined {
  if (typeof raw !== 'string' || raw.length > MAX_LENGTH || !isLocalPath(raw)) return undefined
  if (!URL.canParse(raw, baseUrl)) return undefined
  const url = new URL(raw, baseUrl)
  if (url.origin !== new URL(baseUrl).origin || url.username !== '') return undefined
  // Normalization turns `/.//other.example` into `//other.example`, which is a URL of another host.
  const path = url.pathname + url.search + url.hash
  return isLocalPath(path) ? path : undefined
}

/** One leading slash, and no character that some browser removes or reads as a slash. */
function isLocalPath(text: string): boolean {
  return /^\/(?!\/)/.test(text) && !/[\\ \p{Cc}]/u.test(text) && text.isWellFormed()
}
