import type { IncomingMessage } from 'node:http'
import { parseCookie } from 'cookie'

/**
 * The name of a cookie with its prefixes. `gatehouse_` prevents collisions with other services on the same host, because
 * cookies ignore the port (RFC 6265 §8.5). `__Host-` requires https (RFC 6265bis §4.1.3.2).
 */
export function cookieName(baseUrl: string, name: 'session' | 'browser' | 'device' | 'sign_in'): string {
  return `${baseUrl.startsWith('https:') ? '__Host-' : ''}gatehouse_${name}`
}

/** The first cookie with this name, or undefined. */
export function readCookie({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string | undefined {
  const { cookie } = headers
  return cookie === undefined ? undefined : parseCookie(cookie)[name]
}
