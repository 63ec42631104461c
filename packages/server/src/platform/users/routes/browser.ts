import { randomBytes } from 'node:crypto'
import { secondFactorSeconds } from '@gatehouse/protocol/limits'
import type { FastifyRequest } from 'fastify'
import { sessionCookieName } from '../../../http/authenticate.ts'
import type { SessionCaller } from '../../../http/caller.ts'
import { cookieOf } from '../../../http/cookies.ts'
import { browserCookie, type Seen, type Sessions } from '../../sessions/index.ts'
import type { Devices } from '../devices.ts'
import type { PresentSession } from '../sign-in.ts'

/** `__Host-` needs https, as for the session's cookie. */
function cookieName(baseUrl: string, name: string): string {
  return baseUrl.startsWith('https:') ? `__Host-${name}` : name
}

const browserIdShape = /^[A-Za-z0-9_-]{22}$/

/** By which a browser is told from others before anybody has signed in there; made where it has none. */
export function browserOf(request: FastifyRequest, baseUrl: string): { id: string; cookies: string[] } {
  const name = cookieName(baseUrl, 'browser')
  const sent = cookieOf(request, name) ?? ''
  if (browserIdShape.test(sent)) return { id: sent, cookies: [] }
  const id = randomBytes(16).toString('base64url')
  return { id, cookies: [browserCookie(baseUrl, name, id)] }
}

export function seenOf(request: FastifyRequest): Seen {
  return { ip: request.ip, userAgent: request.headers['user-agent'] ?? '' }
}

/** Whether the person has signed in with this browser before. */
export function knownFrom(
  request: FastifyRequest,
  { devices, baseUrl }: { devices: Devices; baseUrl: string },
): (userId: string) => boolean {
  const mark = cookieOf(request, cookieName(baseUrl, 'device'))
  return userId => devices.knows(mark, userId)
}

/** For `signIn`: the session that this browser has, with the secret it came with. */
export function presentSession(
  request: FastifyRequest,
  caller: SessionCaller | undefined,
  baseUrl: string,
): { present?: PresentSession } {
  const secret = cookieOf(request, sessionCookieName(baseUrl))
  if (!caller || secret === undefined) return {}
  return { present: { userId: caller.userId, sessionId: caller.sessionId, secret } }
}

/** A sign-in that waits for its second factor, for the pages; null when it is done. */
export function ticketCookie(baseUrl: string, ticket: string | null): string {
  return browserCookie(baseUrl, ticketName(baseUrl), ticket, secondFactorSeconds)
}

export function ticketOf(request: FastifyRequest, baseUrl: string): string {
  return cookieOf(request, ticketName(baseUrl)) ?? ''
}

function ticketName(baseUrl: string): string {
  return cookieName(baseUrl, 'sign-in')
}

/** The cookies of who has signed in: the session's, and the one by which the browser is known next time. */
export function signedInCookies(
  { user, secret }: { user: { id: string }; secret: string },
  deps: { sessions: Pick<Sessions, 'sessionCookie'>; devices: Devices; baseUrl: string },
): string[] {
  const { sessions, devices, baseUrl } = deps
  return [
    sessions.sessionCookie(secret),
    browserCookie(baseUrl, cookieName(baseUrl, 'device'), devices.mark(user.id)),
  ]
}
