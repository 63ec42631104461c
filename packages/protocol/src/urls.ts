import { mustBe, urlViolation, type Violation, type ViolationDetails } from './field-errors.ts'
import { maxUrl } from './limits.ts'
import { checkText, cleaners } from './text.ts'

// The parser also takes `https:host` and `https:\\host`, which a browser on an https page reads as a path of that page.
const start = /^https?:\/\/[^/\\]/i
// The parser drops tabs and line breaks from the middle of a URL; other readers do not.
const control = /\p{Cc}/u

/**
 * The violation in the URL of a link or an image, or undefined. Only http and https are accepted; the URL parser
 * decides, not the first characters (webhooks/url-schemes). The host may have no dot (webhooks/url-host).
 */
export function findUrlViolation(text: string, max: number = maxUrl): ViolationDetails | undefined {
  const { violation } = checkText(text, max, cleaners.keep)
  if (violation) return violation
  const url = URL.parse(text)
  if (url === null) return urlViolation(explainParseError(text))
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { ...urlViolation('scheme'), scheme: url.protocol.slice(0, -1) }
  }
  if (control.test(text)) return urlViolation('control_characters')
  return start.test(text) ? undefined : urlViolation('scheme')
}

/** Why the URL parser rejects a text. */
export function explainParseError(text: string): 'scheme' | 'port' | 'host' {
  if (!/^https?:\/\//i.test(text)) return 'scheme'
  return /^https?:\/\/[^/?#\\@]*[^/?#\\@:]:[^/?#\\@\]]+([/?#\\]|$)/i.test(text) ? 'port' : 'host'
}

/**
 * Checks a URL field of a body (`avatar_url`). Undefined, null and `''` mean that there is none (webhooks/url-empty).
 */
export function checkUrl(
  value: unknown,
  member: string,
): { url: string | undefined; violations: Violation[] } {
  const text = typeof value === 'string' ? value.trim() : (value ?? '')
  if (text === '') return { url: undefined, violations: [] }
  if (typeof text !== 'string')
    return { url: undefined, violations: [{ path: [member], ...mustBe('string') }] }
  const violation = findUrlViolation(text)
  if (violation) return { url: undefined, violations: [{ path: [member], ...violation }] }
  return { url: text, violations: [] }
}
