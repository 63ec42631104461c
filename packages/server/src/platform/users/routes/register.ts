import { RegisterBody, SelfUser } from '@gatehouse/protocol/users'
import { created, type Route, route } from '../../../http/route.ts'
import type { Sessions } from '../../sessions/index.ts'
import { selfView } from '../user.ts'
import type { Users } from '../users.ts'
import { seenOf, signedInCookies } from './browser.ts'

interface Deps {
  users: Pick<Users, 'register' | 'devices'>
  sessions: Pick<Sessions, 'sessionCookie'>
  baseUrl: string
}

export function registerRoute({ users, sessions, baseUrl }: Deps): Route {
  return route({
    method: 'POST',
    path: '/api/auth/register',
    summary: 'Make an account and sign in',
    tag: 'People',
    caller: { anyone: true },
    body: RegisterBody,
    answers: { 201: SelfUser },
    errors: ['conflict', 'registration_closed'],
    sameSite: true,
    handle: async ({ body, request }) => {
      const signedIn = await users.register(body, seenOf(request))
      const cookies = signedInCookies(signedIn, { sessions, devices: users.devices, baseUrl })
      return { ...created(selfView(signedIn.user, { email: true })), headers: { 'set-cookie': cookies } }
    },
  })
}
