import { toFieldErrors, type UrlReason } from '@gatehouse/protocol/field-errors'
import { explainParseError, findUrlViolation } from '@gatehouse/protocol/urls'
import { invalidAll, invalidUrl } from '../kit/app-error.ts'
import { isValidHost } from '../kit/host.ts'
import type { Outgoing } from '../outgoing/index.ts'

/** `''` and null remove the endpoint. Throws 400 `invalid_url` (community/validation). */
export function parseEndpointUrl(text: string | null): string | null {
  return parseHttpUrl('interactionsEndpointUrl', text)
}

/**
 * OpenID Connect Back-Channel Logout §2.2: an absolute https URL without a fragment. http is accepted only for hosts in
 * ALLOW_PRIVATE_TARGETS, as for an interactions endpoint (bots/endpoint-url). `''` and null remove it. Throws 400
 * `invalid_url`.
 */
export function parseLogoutUri(outgoing: Pick<Outgoing, 'isAllowed'>, text: string | null): string | null {
  const path = 'backchannelLogoutUri'
  const uri = parseHttpUrl(path, text)
  if (uri === null) return null
  const url = new URL(uri)
  if (outgoing.isAllowed(url)) return uri
  throw invalidUrl(path, url.protocol === 'http:' ? 'https' : 'private_address')
}

function parseHttpUrl(path: string, text: string | null): string | null {
  if (text === null || text === '') return null
  const error = findUrlViolation(text)
  if (error) throw invalidAll(toFieldErrors([{ ...error, path: [path] }]))
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') throw invalidUrl(path, 'credentials')
  if (url.hash !== '') throw invalidUrl(path, 'fragment')
  if (!isValidHost(url.hostname)) throw invalidUrl(path, 'host')
  return text
}

/** Undefined for a valid redirect URI (sign-in/redirect-uri-registration; RFC 9700 §2.6, RFC 8252 §7). */
export function findRedirectUriError(uri: string): UrlReason | undefined {
  // Browsers and this service interpret characters outside of RFC 3986 §2 differently.
  if (!/^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/.test(uri)) {
    if (uri === '') return 'absolute'
    return uri.includes('#') ? 'fragment' : 'characters'
  }
  if (!URL.canParse(uri)) return /^https?:\/\//i.test(uri) ? explainParseError(uri) : 'absolute'
  const url = new URL(uri)
  if (url.username !== '' || url.password !== '') return 'credentials'
  switch (url.protocol) {
    case 'https:':
      if (!uri.toLowerCase().startsWith('https://')) return 'absolute'
      return isValidHost(url.hostname) ? undefined : 'host'
    case 'http:':
      if (!uri.toLowerCase().startsWith('http://')) return 'absolute'
      return isLoopback(uri) ? undefined : 'redirect_https'
    default:
      // RFC 8252 §7.1: a private-use scheme is a reversed domain name, so it contains a dot.
      return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol) && uri.startsWith(url.protocol)
        ? undefined
        : 'redirect_scheme'
  }
}

/** Reads the text, not the parsed host: redirect URIs are compared as strings, so other spellings of the host do not match. */
function isLoopback(uri: string): boolean {
  return /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/?]|$)/i.test(uri)
}
