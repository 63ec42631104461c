import { AuthorizeParameters } from '@gatehouse/protocol/oauth'
import { Type } from '@gatehouse/protocol/type'
import { pageDialect } from '../../http/pages.ts'
import { type Route, route, seeOther } from '../../http/route.ts'
import { consentPage } from '../pages/consent.ts'
import { fromForm, fromQuery, Parameters } from '../parameters.ts'
import type { OAuthRouteDeps } from './deps.ts'

/** `/oauth2/authorize` */
export function authorizeRoutes({ oauth, pages, formTokens }: OAuthRouteDeps): Route[] {
  const dialect = pageDialect(pages)
  return [
    route({
      method: 'GET',
      path: '/oauth2/authorize',
      summary: 'A person is sent here by an application: the sign-in and the consent, then back with a code.',
      tag: 'Sign-in',
      caller: { session: true, anyone: true },
      query: AuthorizeParameters,
      answers: { 200: Type.String(), 303: null },
      errors: [],
      dialect,
      handle: async ({ caller, request }) => {
        const outcome = await oauth.authorize(fromQuery(request.url), caller?.sessionId)
        return outcome.kind === 'redirect'
          ? leave(outcome.location)
          : consentPage({ pages, formTokens }, outcome)
      },
    }),
    route({
      method: 'POST',
      path: '/oauth2/authorize',
      summary: 'The same with the parameters in a form (OpenID Connect Core §3.1.2.1).',
      tag: 'Sign-in',
      // From another site no session comes along with a post, but with the GET that follows it does.
      caller: { anyone: true },
      body: AuthorizeParameters,
      bodyTypes: ['form'],
      answers: { 303: null },
      dialect,
      handle: async ({ body, request }) => {
        const parameters = [...fromQuery(request.url).pairs, ...fromForm(body).pairs]
        const known = parameters.filter(([name]) => name !== '')
        return leave(`/oauth2/authorize?${oauth.checkLength(new Parameters(known))}`)
      },
    }),
  ]
}

/** A redirect that may carry a code: no cache keeps it (check 43). */
export function leave(location: string): {
  status: 303
  headers: { location: string; 'cache-control': string }
} {
  const { status, headers } = seeOther(location)
  return { status, headers: { ...headers, 'cache-control': 'no-store' } }
}
