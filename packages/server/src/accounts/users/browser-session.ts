import { secondFactorSeconds } from '@gatehouse/protocol/limits'
import type { FastifyRequest } from 'fastify'
import type { SessionCaller } from '../../http/caller.ts'
import { browserOf, cookieName, formatCookie, readCookie } from '../../http/cookies.ts'
import { requestInfoOf } from '../request-info.ts'
import { currentSessionOf, type Sessions } from '../sessions/index.ts'
import type { LoginRequest, LoginResult } from './login.ts'
import type { Users } from './users.ts'

export interface LoginRouteDeps {
  users: Users
  sessions: Sessions
  baseUrl: string
}

/** `caller` is the user of the current session, if there is one. */
export function loginRequestOf(
  request: FastifyRequest,
  caller: SessionCaller | undefined,
  baseUrl: string,
): LoginRequest {
  const from = { ...requestInfoOf(request), browser: browserOf(request, baseUrl) }
  return caller ? { ...from, currentSession: currentSessionOf(request, caller, baseUrl) } : from
}

/** The MFA ticket of the sign-in pages. Null removes the cookie. */
export function ticketCookie(baseUrl: string, ticket: string | null): string {
  return formatCookie(baseUrl, 'sign_in', ticket, secondFactorSeconds)
}

export function ticketOf(request: FastifyRequest, baseUrl: string): string {
  return readCookie(request, cookieName(baseUrl, 'sign_in')) ?? ''
}

/** The session cookie, and the id of a browser that has none. */
export function loginCookies(
  { secret, browserCookies }: LoginResult,
  { sessions }: Pick<LoginRouteDeps, 'sessions'>,
): string[] {
  return [sessions.sessionCookie(secret), ...browserCookies]
}
