import { RegisterBody, SelfUser } from '@gatehouse/protocol/users'
import { created, type Route, route } from '../../http/route.ts'
import { type LoginRouteDeps, loginCookies, loginRequestOf } from './browser-session.ts'
import { selfView } from './user.ts'

export function registerRoute(deps: LoginRouteDeps): Route {
  return route('register', {
    summary: 'Creates an account and signs in.',
    tag: 'Users',
    caller: { session: true, anonymous: true },
    body: RegisterBody,
    responses: { 201: SelfUser },
    errors: ['conflict', 'registration_closed', 'invites_paused', 'rate_limited'],
    responseHeaders: ['Set-Cookie'],
    rejectCrossSite: true,
    handle: async ({ caller, body, request }) => {
      const result = await deps.users.register(body, loginRequestOf(request, caller, deps.baseUrl))
      return {
        ...created(selfView(result.user)),
        headers: { 'set-cookie': loginCookies(result, deps) },
      }
    },
  })
}
