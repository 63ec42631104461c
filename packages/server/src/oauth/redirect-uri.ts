interface Registered {
  type: 'confidential' | 'public'
  redirectUris: readonly string[]
  allowLoopbackPort: boolean
}

/**
 * Whether `uri` is one of the application's: compared as whole strings (D10; RFC 9700 §4.1.3). A public application that
 * asked for it may use any port of a registered loopback IP literal (RFC 8252 §7.3).
 */
export function isRegistered(uri: string, client: Registered): boolean {
  if (client.redirectUris.includes(uri)) return true
  if (client.type !== 'public' || !client.allowLoopbackPort) return false
  const portless = withoutLoopbackPort(uri)
  return portless !== undefined && client.redirectUris.some(own => withoutLoopbackPort(own) === portless)
}

// The two literals of RFC 8252 §7.3 alone: `localhost` may resolve to somewhere else (§8.3).
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([0-9]{1,5}))?(\/.*)?$/

function withoutLoopbackPort(uri: string): string | undefined {
  const match = loopback.exec(uri)
  if (!match || Number(match[2] ?? 80) > 65_535) return undefined
  return `${match[1]}${match[3] ?? ''}`
}

/**
 * What `form-action` must let through for a redirect to `uri` after a post (D24): its origin, or its scheme where it has
 * none that a policy could name (private-use schemes, IPv6 literals; CSP 3 §2.3.1).
 */
export function formActionOf(uri: string): string {
  const url = new URL(uri)
  const named = (url.protocol === 'https:' || url.protocol === 'http:') && !url.hostname.startsWith('[')
  return named ? url.origin : url.protocol
}

/** `uri` with parameters added to its own query, which stays as it is (RFC 6749 §3.1.2). */
export function withParameters(
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const added = Object.entries(parameters)
    // A space as %20: read alike by those who decode forms and by those who decode components.
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join('&')
  if (!uri.includes('?')) return `${uri}?${added}`
  return /[?&]$/.test(uri) ? `${uri}${added}` : `${uri}&${added}`
}
