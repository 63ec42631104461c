import type { CheckFault } from './faults.ts'
import { maxUrl } from './limits.ts'
import { isLonger, isSound } from './text.ts'

export type UrlRule = 'invalid_type' | 'invalid_text' | 'too_long' | 'invalid_url'

// The parser also takes `https:host` and `https:\\host`, which a browser on an https page reads as a path of that page.
const start = /^https?:\/\/[^/\\]/i
// The parser drops tabs and line breaks from the middle of a URL; other readers do not.
const control = /\p{Cc}/u

/**
 * What is wrong with a link or the address of a picture, or undefined: http and https only, by what the URL parser makes
 * of it and not by its first characters (check 14); hosts without a dot are fine (check 15).
 */
export function urlFault(text: string, max: number = maxUrl): Omit<CheckFault<UrlRule>, 'path'> | undefined {
  if (!isSound(text)) {
    return { rule: 'invalid_text', message: 'must not contain U+0000 or half of a surrogate pair' }
  }
  if (isLonger(text, max)) {
    return { rule: 'too_long', message: `must have at most ${max} characters`, limit: max }
  }
  const url = URL.parse(text)
  if (url === null) return { rule: 'invalid_url', message: 'must be a whole URL: https://…' }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    const scheme = url.protocol.slice(0, -1)
    return { rule: 'invalid_url', message: 'must begin with http:// or https://', scheme }
  }
  if (!start.test(text) || control.test(text)) {
    return { rule: 'invalid_url', message: 'must be a whole URL without control characters: https://…' }
  }
  return undefined
}

/** A URL that stands alone in a body (`avatar_url`), at `member`; absent where it is undefined, null or `''` (check 16). */
export function checkUrl(
  value: unknown,
  member: string,
  max: number = maxUrl,
): { url: string | undefined; faults: CheckFault<UrlRule>[] } {
  if (value === undefined || value === null) return { url: undefined, faults: [] }
  if (typeof value !== 'string') {
    return { url: undefined, faults: [{ path: [member], rule: 'invalid_type', message: 'must be a string' }] }
  }
  const url = value.trim()
  if (url === '') return { url: undefined, faults: [] }
  const fault = urlFault(url, max)
  return fault ? { url: undefined, faults: [{ path: [member], ...fault }] } : { url, faults: [] }
}
