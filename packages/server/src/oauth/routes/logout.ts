import { LogoutParameters } from '@gatehouse/protocol/oauth'
import { Type } from '@gatehouse/protocol/type'
import { pageDialect } from '../../http/pages.ts'
import { type Route, route } from '../../http/route.ts'
import type { LogoutOutcome } from '../logout/index.ts'
import { confirmPage, signedOutPage } from '../pages/logout.ts'
import { fromForm, fromQuery, Parameters } from '../parameters.ts'
import { leave } from './authorize.ts'
import type { OAuthRouteDeps } from './deps.ts'

const ConfirmForm = Type.Object(
  { token: Type.Optional(Type.Unsafe<unknown>({ description: 'Of the form.' })) },
  { description: 'The person said yes. The request itself stands in the address.' },
)

/** `/oauth2/logout`, and the form of its page. */
export function logoutRoutes({ oauth, pages, formTokens, sessionCookie }: OAuthRouteDeps): Route[] {
  const dialect = pageDialect(pages)

  function answer(outcome: LogoutOutcome) {
    if (outcome.kind === 'confirm') return confirmPage({ pages, formTokens }, outcome)
    const cookie = outcome.ended ? { 'set-cookie': sessionCookie(null) } : {}
    if (outcome.kind === 'redirect') {
      const { status, headers } = leave(outcome.location)
      return { status, headers: { ...headers, ...cookie } }
    }
    const page = signedOutPage(pages, outcome)
    return { ...page, headers: { ...page.headers, ...cookie } }
  }

  return [
    route({
      method: 'GET',
      path: '/oauth2/logout',
      summary: 'A person is sent here by an application to sign out, then back to it.',
      tag: 'Sign-in',
      caller: { session: true, anyone: true },
      query: LogoutParameters,
      answers: { 200: Type.String(), 303: null },
      dialect,
      handle: async ({ caller, request }) =>
        answer(await oauth.startLogout(fromQuery(request.url), caller?.sessionId)),
    }),
    route({
      method: 'POST',
      path: '/oauth2/logout',
      summary: 'The same with the parameters in a form (RP-Initiated Logout §2).',
      tag: 'Sign-in',
      // From another site no session comes along with a post, but with the GET that follows it does.
      caller: { anyone: true },
      body: LogoutParameters,
      bodyTypes: ['form'],
      answers: { 303: null },
      dialect,
      handle: async ({ body, request }) => {
        const parameters = [...fromQuery(request.url).pairs, ...fromForm(body).pairs]
        const known = parameters.filter(([name]) => name !== '')
        return leave(`/oauth2/logout?${oauth.checkLength(new Parameters(known))}`)
      },
    }),
    route({
      method: 'POST',
      path: '/oauth2/logout/confirm',
      summary: 'A person says that they want to sign out.',
      tag: 'Sign-in',
      caller: { session: true, anyone: true },
      body: ConfirmForm,
      bodyTypes: ['form'],
      answers: { 200: Type.String(), 303: null },
      dialect,
      sameSite: true,
      handle: async ({ caller, request, body }) => {
        const token = fromForm(body).get('token')
        const outcome = await oauth.confirmLogout(fromQuery(request.url), caller?.sessionId, bindings =>
          formTokens.check(token, bindings.session, bindings.request),
        )
        return answer(outcome)
      },
    }),
  ]
}
