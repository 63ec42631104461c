import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors/app-error.ts'
import { describeSecret } from '../kit/secret.ts'
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

/** 401 for a header with a secret of another kind. `hint` says which, and where it belongs. */
export class MisplacedSecretError extends AppError {
  readonly hint: string

  constructor(secret: string, accepted: string) {
    const hint = `The Authorization header has ${secret}.`
    super('unauthenticated', `${hint} ${accepted}`)
    this.hint = hint
  }
}

/**
 * Authenticates the caller of a request. A route that accepts anonymous callers ignores a credential of a kind that it
 * does not accept, and a session that has ended. Every other invalid credential throws 401. Throws
 * 403 `credential_not_accepted` for a valid token of a kind that the route does not accept, and 403 `missing_scope` for
 * a token without a required scope.
 */
export async function authenticate(
  request: FastifyRequest,
  accepts: AcceptedCallers,
  authenticators: Authenticators,
  cookieName: string,
): Promise<Caller | undefined> {
  const credential = readCredential(request, accepts, cookieName)
  if (accepts.anonymous && (credential === undefined || !accepts[credential.kind])) return undefined
  const caller = credential && (await findCaller(credential, request, authenticators))
  if (caller === undefined) {
    if (accepts.anonymous && credential?.kind === 'session') return undefined
    const misplaced = findMisplacedSecret(request.headers.authorization, credential)
    if (misplaced !== undefined) throw new MisplacedSecretError(misplaced, describeAccepted(accepts))
    const problem = credential?.kind === 'session' ? 'The session has ended.' : 'The token is invalid.'
    throw new AppError('unauthenticated', `${credential ? `${problem} ` : ''}${describeAccepted(accepts)}`)
  }
  if (!accepts[caller.kind]) {
    const name = caller.kind === 'bot' ? 'A bot token' : 'An access token'
    throw new AppError('credential_not_accepted', `${name} is not accepted. ${describeAccepted(accepts)}`)
  }
  if (caller.kind === 'bearer' && !accepts.bearer?.some(scope => caller.scopes.includes(scope))) {
    throw new AppError('missing_scope', `The token must have the scope ${accepts.bearer?.join(' or ')}.`)
  }
  return caller
}

interface Credential {
  kind: Caller['kind']
  token: string
}

/**
 * Reads the credential of a request. A cookie counts only without an `Authorization` header, and only if the route
 * accepts a session: browsers send it to all routes.
 */
function readCredential(
  request: FastifyRequest,
  accepts: AcceptedCallers,
  cookieName: string,
): Credential | undefined {
  const header = request.headers.authorization
  if (header === undefined) {
    const token = accepts.session && readCookie(request, cookieName)
    return token ? { kind: 'session', token } : undefined
  }
  const space = header.indexOf(' ')
  // RFC 9110 §11.1: the scheme is case-insensitive.
  const kind = (space < 0 ? header : header.slice(0, space)).toLowerCase()
  const token = space < 0 ? '' : header.slice(space + 1).trim()
  return kind === 'bot' || kind === 'bearer' ? { kind, token } : undefined
}

/** The secret of a header that has another scheme than the secret, or no scheme. */
function findMisplacedSecret(
  header: string | undefined,
  credential: Credential | undefined,
): string | undefined {
  if (header === undefined) return undefined
  const expected = { bot: 'botToken', bearer: 'accessToken', session: 'session' } as const
  return describeSecret(header, credential && expected[credential.kind])
}

function findCaller(
  { kind, token }: Credential,
  request: FastifyRequest,
  authenticators: Authenticators,
): Promise<Caller | undefined> {
  if (kind !== 'session') return authenticators[kind](token)
  return authenticators.session(token, { ip: request.ip, userAgent: request.headers['user-agent'] ?? '' })
}

/** `Send a session cookie or a bot token.` */
function describeAccepted(accepts: AcceptedCallers): string {
  const accepted = [
    ...(accepts.session ? ['a session cookie (sign in)'] : []),
    ...(accepts.bearer ? ['an access token (Authorization: Bearer)'] : []),
    ...(accepts.bot ? ['a bot token (Authorization: Bot)'] : []),
  ]
  return `Send ${accepted.join(' or ')}.`
}

/**
 * The value of `WWW-Authenticate` for a 401 (RFC 9110 §11.6.1) or an insufficient scope (RFC 6750 §3). `authorization`
 * is the header of the request.
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
