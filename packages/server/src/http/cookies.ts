import { parseCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'

/** The cookie of that name; undefined where the request has none. Of several the first. */
export function cookieOf(request: FastifyRequest, name: string): string | undefined {
  const { cookie } = request.headers
  return cookie === undefined ? undefined : parseCookie(cookie)[name]
}
