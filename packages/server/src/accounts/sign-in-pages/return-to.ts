import { maxHeaderBytes } from '@gatehouse/protocol/limits'
import { unpackPath } from '../../http/packed-path.ts'

/**
 * Validates the URL to open after a sign-in: a path, or one that `packPath` packed. Returns path, query and fragment of
 * a URL of this service. Undefined for everything that any browser could resolve to another origin: no open redirector
 * (RFC 9700 §4.11).
 */
export function parseReturnTo(raw: unknown, baseUrl: string): string | undefined {
  const text = typeof raw === 'string' ? unpackPath(raw) : undefined
  // A longer path could not be requested.
  if (text === undefined || text.length > maxHeaderBytes || !isLocalPath(text)) return undefined
  if (!URL.canParse(text, baseUrl)) return undefined
  const url = new URL(text, baseUrl)
  if (url.origin !== new URL(baseUrl).origin || url.username !== '') return undefined
  // Normalization turns `/.//other.example` into `//other.example`, which is a URL of another host.
  const path = url.pathname + url.search + url.hash
  return isLocalPath(path) ? path : undefined
}

/** One leading slash, and no character that some browser removes or reads as a slash. */
function isLocalPath(text: string): boolean {
  return /^\/(?!\/)/.test(text) && !/[\\ \p{Cc}]/u.test(text) && text.isWellFormed()
}
