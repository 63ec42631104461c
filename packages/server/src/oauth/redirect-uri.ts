import { isValidHost } from '../kit/host.ts'

/**
 * Whether `uri` is a redirect URI of the client, by exact string comparison (sign-in/redirect-uri-exact; RFC 9700
 * §4.1.3). A public client with `allowLoopbackPort` may use any port of a registered loopback IP literal (RFC 8252
 * §7.3).
 */
export function isRegisteredRedirectUri(
  uri: string,
  client: {
    type: 'confidential' | 'public'
    redirectUris: readonly string[]
    allowLoopbackPort: boolean
  },
): boolean {
  if (client.redirectUris.includes(uri)) return true
  if (client.type !== 'public' || !client.allowLoopbackPort) return false
  const portless = withoutLoopbackPort(uri)
  return (
    portless !== undefined &&
    client.redirectUris.some(registered => withoutLoopbackPort(registered) === portless)
  )
}

// Only the two IP literals of RFC 8252 §7.3: `localhost` may resolve to another host (§8.3).
const loopbackPattern = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([0-9]{1,5}))?(\/.*)?$/

/** Undefined if the URI does not have a loopback host. */
function withoutLoopbackPort(uri: string): string | undefined {
  const match = loopbackPattern.exec(uri)
  if (!match || Number(match[2] ?? 80) > 65_535) return undefined
  return `${match[1]}${match[3] ?? ''}`
}

/**
 * The source expression of `form-action` that allows a redirect to `uri` after a form is posted
 * (sign-in/page-headers): the origin, or only the scheme if a source expression cannot contain the host. That is the
 * case for private-use schemes, for IPv6 literals (CSP 3 §2.3.1), and for hosts that were registered before hosts were
 * validated.
 */
export function toFormActionSource(uri: string): string {
  const url = new URL(uri)
  const isHttp = url.protocol === 'https:' || url.protocol === 'http:'
  return isHttp && isValidHost(url.hostname) && !url.hostname.startsWith('[') ? url.origin : url.protocol
}

/** Adds query parameters to `uri`, whose own query stays unchanged (RFC 6749 §3.1.2). Skips undefined values. */
export function appendQuery(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const query = Object.entries(parameters)
    // Encodes a space as %20, not as +: form decoders and URI component decoders both read it.
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join('&')
  if (!uri.includes('?')) return `${uri}?${query}`
  return /[?&]$/.test(uri) ? `${uri}${query}` : `${uri}&${query}`
}
