import { secondFactorSeconds } from '@gatehouse/protocol/limits'
import type { FastifyRequest } from 'fastify'
import type { SessionCaller } from '../../http/caller.ts'
import { cookieName, formatCookie, readCookie } from '../../http/cookies.ts'
import { requestInfoOf } from '../request-info.ts'
import { currentSessionOf, type Sessions } from '../sessions/index.ts'
import type { LoginRequest, LoginResult } from './login.ts'
import type { UserRecord } from './user-store.ts'
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
  if (!caller) return requestInfoOf(request)
  return { ...requestInfoOf(request), currentSession: currentSessionOf(request, caller, baseUrl) }
}

/** Whether the browser has the device cookie of a user. */
export function createDeviceCheck(
  request: FastifyRequest,
  { users, baseUrl }: Pick<LoginRouteDeps, 'users' | 'baseUrl'>,
): (user: UserRecord) => boolean {
  const cookie = readCookie(request, cookieName(baseUrl, 'device'))
  return user => users.deviceCookies.verify(cookie, user)
}

/** The MFA ticket of the sign-in pages. Null removes the cookie. */
export function ticketCookie(baseUrl: string, ticket: string | null): string {
  return formatCookie(baseUrl, 'sign_in', ticket, secondFactorSeconds)
}

export function ticketOf(request: FastifyRequest, baseUrl: string): string {
  return readCookie(request, cookieName(baseUrl, 'sign_in')) ?? ''
}

/** The session cookie and the device cookie. */
export function loginCookies(
  { user, secret }: LoginResult,
  { users, sessions, baseUrl }: LoginRouteDeps,
): string[] {
  return [sessions.sessionCookie(secret), formatCookie(baseUrl, 'device', users.deviceCookies.issue(user))]
}
