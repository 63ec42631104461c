import { invalidText, mustBe, tooLong, type UrlReason, urlReasons, type Violation } from './field-errors.ts'
import { maxUrl } from './limits.ts'
import { isLonger, isSound } from './text.ts'

export type UrlRule = 'invalid_type' | 'invalid_text' | 'too_long' | 'invalid_url'

// The parser also takes `https:host` and `https:\\host`, which a browser on an https page reads as a path of that page.
const start = /^https?:\/\/[^/\\]/i
// The parser drops tabs and line breaks from the middle of a URL; other readers do not.
const control = /\p{Cc}/u

type UrlViolation = Omit<Violation<UrlRule>, 'path'>

/**
 * What is wrong with a link or the address of a picture, or undefined: http and https only, by what the URL parser makes
 * of it and not by its first characters (webhooks/url-schemes); hosts without a dot are fine (webhooks/url-host).
 */
export function findUrlViolation(text: string, max: number = maxUrl): UrlViolation | undefined {
  if (!isSound(text)) {
    return invalidText
  }
  if (isLonger(text, max)) {
    return tooLong(max)
  }
  const url = URL.parse(text)
  if (url === null) return because(whyNoUrl(text))
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { ...because('scheme'), scheme: url.protocol.slice(0, -1) }
  }
  if (control.test(text)) return because('control_characters')
  return start.test(text) ? undefined : because('scheme')
}

function because(reason: UrlReason): UrlViolation {
  return { rule: 'invalid_url', message: urlReasons[reason], reason }
}

/** Why the URL parser refuses a text. */
export function whyNoUrl(text: string): 'scheme' | 'port' | 'host' {
  if (!/^https?:\/\//i.test(text)) return 'scheme'
  return /^https?:\/\/[^/?#\\@]*[^/?#\\@:]:[^/?#\\@\]]+([/?#\\]|$)/i.test(text) ? 'port' : 'host'
}

/** Checks a URL field of a body (`avatar_url`). Undefined, null and `''` mean that there is none (webhooks/url-empty). */
export function checkUrl(
  value: unknown,
  member: string,
  max: number = maxUrl,
): { url: string | undefined; violations: Violation<UrlRule>[] } {
  if (value === undefined || value === null) return { url: undefined, violations: [] }
  if (typeof value !== 'string') {
    return { url: undefined, violations: [{ path: [member], ...mustBe('string') }] }
  }
  const url = value.trim()
  if (url === '') return { url: undefined, violations: [] }
  const violation = findUrlViolation(url, max)
  return violation
    ? { url: undefined, violations: [{ path: [member], ...violation }] }
    : { url, violations: [] }
}
