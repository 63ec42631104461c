import type { IncomingMessage } from 'node:http'
import { parseCookie } from 'cookie'

/** The cookie of that name; undefined where the request has none. Of several the first. */
export function cookieOf({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string | undefined {
  const { cookie } = headers
  return cookie === undefined ? undefined : parseCookie(cookie)[name]
}
