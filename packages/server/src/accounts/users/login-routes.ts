import { ErrorBody } from '@gatehouse/protocol/errors'
import {
  PasskeyRequestOptions,
  SecondFactorBody,
  SecondFactorTicket,
} from '@gatehouse/protocol/second-factor'
import { LoginBody, SelfUser } from '@gatehouse/protocol/users'
import { browserOf } from '../../http/cookies.ts'
import { ok, type Route, respond, route } from '../../http/route.ts'
import { type LoginRouteDeps, loginCookies, loginRequestOf } from './browser-session.ts'
import { selfView } from './user.ts'

export function loginRoutes(deps: LoginRouteDeps): Route[] {
  const { users, baseUrl } = deps
  return [
    route('logIn', {
      summary: 'Signs in with a password.',
      tag: 'Users',
      caller: { session: true, anonymous: true },
      body: LoginBody,
      responses: { 200: SelfUser, 401: ErrorBody },
      errors: ['invalid_credentials', 'second_factor_required', 'account_disabled', 'rate_limited'],
      responseHeaders: ['Set-Cookie'],
      rejectCrossSite: true,
      handle: async ({ caller, body, request }) => {
        const loginRequest = loginRequestOf(request, caller, baseUrl)
        const result = await users.login(body.login, body.password, loginRequest)
        if ('ticket' in result) {
          const message = 'The password is correct. A second factor is required.'
          // RFC 9110 §15.5.2 requires a challenge in a 401.
          const headers = { 'www-authenticate': 'Session', 'set-cookie': loginRequest.browser.cookies }
          return respond(401, { code: 'second_factor_required' as const, message, ...result }, headers)
        }
        return {
          ...ok(selfView(result.user)),
          headers: { 'set-cookie': loginCookies(result, deps) },
        }
      },
    }),
    route('completeLogin', {
      summary: 'Completes a sign-in with a code or a passkey.',
      tag: 'Users',
      caller: { session: true, anonymous: true },
      body: SecondFactorBody,
      responses: { 200: SelfUser },
      errors: ['invalid_credentials', 'unauthenticated', 'account_disabled', 'rate_limited'],
      responseHeaders: ['Set-Cookie'],
      rejectCrossSite: true,
      handle: async ({ caller, body, request }) => {
        const { ticket, ...response } = body
        const loginRequest = loginRequestOf(request, caller, baseUrl)
        const result = await users.completeLogin({ ticket, response }, loginRequest)
        return {
          ...ok(selfView(result.user)),
          headers: { 'set-cookie': loginCookies(result, deps) },
        }
      },
    }),
    route('createLoginPasskeyOptions', {
      summary: 'Creates the options for `navigator.credentials.get()` to complete a sign-in.',
      tag: 'Users',
      caller: { anonymous: true },
      body: SecondFactorTicket,
      responses: { 200: PasskeyRequestOptions },
      errors: ['unauthenticated'],
      rejectCrossSite: true,
      handle: async ({ body, request }) =>
        ok(await users.createMfaOptions(body.ticket, browserOf(request, baseUrl).id)),
    }),
  ]
}
