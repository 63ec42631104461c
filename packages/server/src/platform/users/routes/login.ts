import { ErrorBody } from '@gatehouse/protocol/errors'
import { LoginBody, SelfUser } from '@gatehouse/protocol/users'
import { answer, ok, type Route, route } from '../../../http/route.ts'
import type { Sessions } from '../../sessions/index.ts'
import { selfView } from '../user.ts'
import type { Users } from '../users.ts'
import { browserOf, knownFrom, presentSession, seenOf, signedInCookies } from './browser.ts'

interface Deps {
  users: Pick<Users, 'signIn' | 'devices'>
  sessions: Pick<Sessions, 'sessionCookie'>
  baseUrl: string
}

export function loginRoute({ users, sessions, baseUrl }: Deps): Route {
  const { devices } = users
  return route({
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Sign in',
    tag: 'People',
    caller: { session: true, anyone: true },
    body: LoginBody,
    answers: { 200: SelfUser, 401: ErrorBody },
    errors: ['invalid_credentials', 'second_factor_required'],
    sameSite: true,
    handle: async ({ caller, body, request }) => {
      const browser = browserOf(request, baseUrl)
      const signedIn = await users.signIn(body.login, body.password, {
        ...seenOf(request),
        ...presentSession(request, caller, baseUrl),
        known: knownFrom(request, { devices, baseUrl }),
        browser: browser.id,
      })
      if ('ticket' in signedIn) {
        const message = 'The password is right. Show your second factor.'
        // RFC 9110 §15.5.2: a 401 names a way to authenticate.
        const headers = { 'www-authenticate': 'Session', 'set-cookie': browser.cookies }
        return answer(401, { code: 'second_factor_required' as const, message, ...signedIn }, headers)
      }
      const cookies = signedInCookies(signedIn, { sessions, devices, baseUrl })
      return { ...ok(selfView(signedIn.user, { email: true })), headers: { 'set-cookie': cookies } }
    },
  })
}
