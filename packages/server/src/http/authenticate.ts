import type { FastifyRequest } from 'fastify'
import { AppError } from '../kit/app-error.ts'
import type { Accepts, BearerCaller, BotCaller, Caller, SessionCaller } from './caller.ts'
import { cookieOf } from './cookies.ts'

/** How credentials become callers: given by the features that own them, joined in `compose.ts`. */
export interface Authenticators {
  /** The value of the session cookie. */
  session(secret: string, seen: { ip: string; userAgent: string }): Promise<SessionCaller | undefined>
  /** A token of `Authorization: Bearer`. */
  bearer(token: string): Promise<BearerCaller | undefined>
  /** A token of `Authorization: Bot`. */
  bot(token: string): Promise<BotCaller | undefined>
}

/** The name of the session cookie: `__Host-` needs https (RFC 6265bis §4.1.3.2). */
export function sessionCookieName(baseUrl: string): string {
  return baseUrl.startsWith('https:') ? '__Host-session' : 'session'
}

/**
 * Finds out who is calling and whether the route lets them in. A credential that is there and does not hold is 401,
 * never taken as none.
 */
export async function authenticate(
  request: FastifyRequest,
  accepts: Accepts,
  authenticators: Authenticators,
  cookieName: string,
): Promise<Caller | undefined> {
  const header = request.headers.authorization
  if (header !== undefined) {
    const caller = await fromHeader(header, accepts, authenticators)
    if (caller) return caller
  }
  const secret = header === undefined && accepts.session ? cookieOf(request, cookieName) : undefined
  if (secret) {
    const caller = await authenticators.session(secret, {
      ip: request.ip,
      userAgent: request.headers['user-agent'] ?? '',
    })
    if (caller) return caller
  }
  if (accepts.anyone) return undefined
  throw new AppError('unauthenticated', 'Sign in, or send a credential that holds.')
}

async function fromHeader(
  header: string,
  accepts: Accepts,
  authenticators: Authenticators,
): Promise<Caller | undefined> {
  const space = header.indexOf(' ')
  // RFC 9110 §11.1: the scheme is case-insensitive.
  const scheme = (space < 0 ? header : header.slice(0, space)).toLowerCase()
  const token = space < 0 ? '' : header.slice(space + 1).trim()
  if (scheme === 'bot' && accepts.bot) {
    const caller = await authenticators.bot(token)
    if (caller) return caller
  } else if (scheme === 'bearer' && accepts.bearer) {
    const caller = await authenticators.bearer(token)
    if (caller) {
      const needed = accepts.bearer
      if (needed.some(scope => caller.scopes.includes(scope))) return caller
      throw new AppError('missing_scope', `The token lacks the scope ${needed.join(' or ')}.`)
    }
  } else if (accepts.anyone) {
    return undefined
  }
  throw new AppError('unauthenticated', 'The credential does not hold, or is not accepted here.')
}

/**
 * The challenge that goes with a 401 (RFC 9110 §11.6.1) and with a lack of scope (RFC 6750 §3). `sent`: the header
 * `Authorization` of the request.
 */
export function challenge(accepts: Accepts, error: AppError, sent: string | undefined): string | undefined {
  if (error.code === 'missing_scope' && accepts.bearer) {
    return `Bearer error="insufficient_scope", scope="${accepts.bearer.join(' ')}"`
  }
  if (error.status !== 401) return undefined
  // RFC 6750 §3.1: an error code where a token was sent that does not hold, none where none was.
  const bearer = /^bearer( |$)/i.test(sent ?? '') ? 'Bearer error="invalid_token"' : 'Bearer'
  const schemes = [
    ...(accepts.bearer ? [bearer] : []),
    ...(accepts.bot ? ['Bot'] : []),
    ...(accepts.session ? ['Session'] : []),
  ]
  return schemes.length > 0 ? schemes.join(', ') : 'Session'
}

const safeMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/** D69: a request that changes something comes from a page of this service, or from no page at all. */
export function refuseOtherSites(request: FastifyRequest, baseUrl: string): void {
  if (safeMethods.includes(request.method)) return
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) {
    if (site === 'same-origin' || site === 'none') return
  } else {
    const origin = request.headers.origin
    if (origin === undefined || origin === new URL(baseUrl).origin) return
  }
  throw new AppError('cross_site', 'This request came from another site.')
}
