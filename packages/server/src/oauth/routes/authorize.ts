import { AuthorizeParameters } from '@gatehouse/protocol/oauth'
import { Type } from '@gatehouse/protocol/type'
import { type FormTokens, type Pages, pageErrorFormat } from '../../http/pages.ts'
import { type Route, route, seeOther } from '../../http/route.ts'
import { requireShortQuery } from '../authorization-request.ts'
import type { OAuth } from '../index.ts'
import { consentPage } from '../pages/consent.ts'
import { Parameters, parseForm, parseQuery } from '../parameters.ts'

export function authorizeRoutes(
  oauth: Pick<OAuth, 'authorize'>,
  pages: Pages,
  formTokens: FormTokens,
): Route[] {
  const errorFormat = pageErrorFormat(pages)
  return [
    route({
      method: 'GET',
      path: '/oauth2/authorize',
      summary: 'The authorization endpoint: signs the user in, asks for consent and redirects with a code.',
      tag: 'Sign-in',
      caller: { session: true, anonymous: true },
      query: AuthorizeParameters,
      responses: { 200: Type.String(), 303: null },
      errors: [],
      errorFormat,
      handle: async ({ caller, request }) => {
        const result = await oauth.authorize(parseQuery(request.url), caller?.sessionId)
        return result.kind === 'redirect'
          ? redirectWithoutCache(result.location)
          : consentPage(pages.for(request), formTokens, result)
      },
    }),
    route({
      method: 'POST',
      path: '/oauth2/authorize',
      summary: 'The same with the parameters in a form (OpenID Connect Core §3.1.2.1).',
      tag: 'Sign-in',
      caller: { anonymous: true },
      body: AuthorizeParameters,
      bodyTypes: ['form'],
      responses: { 303: null },
      errorFormat,
      handle: async ({ body, request }) => redirectToGet('/oauth2/authorize', request.url, body),
    }),
  ]
}

type Redirect = { status: 303; headers: { location: string; 'cache-control': string } }

/**
 * Redirects a POST to the GET of the same path, with all parameters in the query. Browsers do not send the session cookie
 * with a POST from another site, but they send it with the GET that follows (SameSite=Lax).
 */
export function redirectToGet(path: string, url: string, body: unknown): Redirect {
  const pairs = [...parseQuery(url).pairs, ...parseForm(body).pairs].filter(([name]) => name !== '')
  return redirectWithoutCache(`${path}?${requireShortQuery(new Parameters(pairs))}`)
}

/** The location may contain a code (sign-in/page-headers). */
export function redirectWithoutCache(location: string): Redirect {
  const { status, headers } = seeOther(location)
  return { status, headers: { ...headers, 'cache-control': 'no-store' } }
}
