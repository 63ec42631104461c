import { LoginBody, SelfUser } from '@gatehouse/protocol/users'
import { ok, type Route, route } from '../../../http/route.ts'
import type { Sessions } from '../../sessions/index.ts'
import { selfView } from '../user.ts'
import type { Users } from '../users.ts'
import { knownFrom, presentSession, seenOf, signedInCookies } from './browser.ts'

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
    answers: { 200: SelfUser },
    errors: ['invalid_credentials'],
    sameSite: true,
    handle: async ({ caller, body, request }) => {
      const signedIn = await users.signIn(body.login, body.password, {
        ...seenOf(request),
        ...presentSession(request, caller, baseUrl),
        known: knownFrom(request, { devices, baseUrl }),
      })
      const cookies = signedInCookies(signedIn, { sessions, devices, baseUrl })
      return { ...ok(selfView(signedIn.user, { email: true })), headers: { 'set-cookie': cookies } }
    },
  })
}
