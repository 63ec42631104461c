import type { FastifyRequest } from 'fastify'
import { AppError } from '../kit/app-error.ts'
import type { AcceptedCallers, BearerCaller, BotCaller, Caller, SessionCaller } from './caller.ts'
import { readCookie } from './cookies.ts'

/** Resolves credentials to callers. The features that own the credentials provide these functions. */
export interface Authenticators {
  /** Resolves the value of the session cookie. */
  session(token: string, client: { ip: string; userAgent: string }): Promise<SessionCaller | undefined>
  /** Resolves a token of `Authorization: Bearer`. */
  bearer(token: string): Promise<BearerCaller | undefined>
  /** Resolves a token of `Authorization: Bot`. */
  bot(token: string): Promise<BotCaller | undefined>
}

/**
 * Authenticates the caller of a request. Throws 401 for an invalid credential also if the route accepts anonymous callers,
 * and 403 `missing_scope` for a token without a required scope.
 */
export async function authenticate(
  request: FastifyRequest,
  accepts: AcceptedCallers,
  authenticators: Authenticators,
  cookieName: string,
): Promise<Caller | undefined> {
  const header = request.headers.authorization
  if (header !== undefined) {
    const caller = await fromHeader(header, accepts, authenticators)
    if (caller) return caller
  }
  const token = header === undefined && accepts.session ? readCookie(request, cookieName) : undefined
  if (token) {
    const caller = await authenticators.session(token, {
      ip: request.ip,
      userAgent: request.headers['user-agent'] ?? '',
    })
    if (caller) return caller
  }
  if (accepts.anonymous) return undefined
  throw new AppError('unauthenticated', 'Sign in, or send a valid credential.')
}

async function fromHeader(
  header: string,
  accepts: AcceptedCallers,
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
      const scopes = accepts.bearer
      if (scopes.some(scope => caller.scopes.includes(scope))) return caller
      throw new AppError('missing_scope', `The token must have the scope ${scopes.join(' or ')}.`)
    }
  } else if (accepts.anonymous) {
    return undefined
  }
  throw new AppError('unauthenticated', 'The credential is invalid or not accepted here.')
}

/**
 * The value of `WWW-Authenticate` for a 401 (RFC 9110 §11.6.1) or an insufficient scope (RFC 6750 §3). `authorization` is
 * the header of the request.
 */
export function challenge(
  accepts: AcceptedCallers,
  error: AppError,
  authorization: string | undefined,
): string | undefined {
  if (error.code === 'missing_scope' && accepts.bearer) {
    return `Bearer error="insufficient_scope", scope="${accepts.bearer.join(' ')}"`
  }
  if (error.status !== 401) return undefined
  // RFC 6750 §3.1: the challenge has an error code only if the request contained a token.
  const bearer = /^bearer( |$)/i.test(authorization ?? '') ? 'Bearer error="invalid_token"' : 'Bearer'
  const schemes = [
    ...(accepts.bearer ? [bearer] : []),
    ...(accepts.bot ? ['Bot'] : []),
    ...(accepts.session ? ['Session'] : []),
  ]
  return schemes.length > 0 ? schemes.join(', ') : 'Session'
}

const safeMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/** Throws 403 `cross_site` for an unsafe request that a page of another origin sent (sign-in/form-token). */
export function rejectCrossSite(request: FastifyRequest, baseUrl: string): void {
  if (safeMethods.includes(request.method)) return
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) {
    if (site === 'same-origin' || site === 'none') return
  } else {
    const origin = request.headers.origin
    if (origin === undefined || origin === new URL(baseUrl).origin) return
  }
  throw new AppError('cross_site', 'The request was sent by another site.')
}
