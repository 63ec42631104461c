import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { parseCookie } from 'cookie'

type CookieName = 'session' | 'browser' | 'sign_in' | 'verification' | 'continuation'

/** 400 days. Browsers limit `Max-Age` to this value (RFC 6265bis §5.5). */
const maxAgeLimit = 400 * 24 * 60 * 60

/**
 * The name of a cookie with its prefixes. `gatehouse_` prevents collisions with other services on the same host,
 * because cookies ignore the port (RFC 6265 §8.5). `__Host-` requires https (RFC 6265bis §4.1.3.2).
 */
export function cookieName(baseUrl: string, name: CookieName): string {
  return `${baseUrl.startsWith('https:') ? '__Host-' : ''}gatehouse_${name}`
}

/** The first cookie with this name, or undefined. */
export function readCookie({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string | undefined {
  const { cookie } = headers
  return cookie === undefined ? undefined : parseCookie(cookie)[name]
}

/**
 * Returns a `Set-Cookie` value. With null as `value` it removes the cookie. `SameSite=Lax`, so that the browser sends
 * the cookie when an application redirects the user to this service (sign-in/session-cookie).
 */
export function formatCookie(
  baseUrl: string,
  name: CookieName,
  value: string | null,
  maxAgeSeconds: number = maxAgeLimit,
): string {
  const age = value === null ? 0 : maxAgeSeconds
  const secure = baseUrl.startsWith('https:') ? '; Secure' : ''
  return `${cookieName(baseUrl, name)}=${value ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`
}

const browserIdPattern = /^[A-Za-z0-9_-]{22}$/

/** The id of a browser, also before a sign-in. `cookies` has the `Set-Cookie` value of a new id. */
export interface BrowserCookie {
  id: string
  cookies: string[]
}

export function browserOf(request: Pick<IncomingMessage, 'headers'>, baseUrl: string): BrowserCookie {
  const sent = readCookie(request, cookieName(baseUrl, 'browser')) ?? ''
  if (browserIdPattern.test(sent)) return { id: sent, cookies: [] }
  const id = randomBytes(16).toString('base64url')
  return { id, cookies: [formatCookie(baseUrl, 'browser', id)] }
}
