import { LogoutParameters } from '@gatehouse/protocol/oauth'
import type { Sessions } from '../accounts/sessions/index.ts'
import type { PageRequest } from '../http/error-formats.ts'
import { Form } from '../http/form.ts'
import { type FormTokens, type Pages, pageErrorFormat } from '../http/html-pages.ts'
import { Html } from '../http/media.ts'
import { type Route, route } from '../http/route.ts'
import { redirectToGet, redirectWithoutCache } from './authorize-routes.ts'
import type { LogoutEndpoint, LogoutResult } from './oauth-logout.ts'
import { confirmPage, signedOutPage } from './pages/oauth-logout-page.ts'
import { parseQuery, toParameters } from './parameters.ts'

export function oauthLogoutRoutes(
  endpoint: LogoutEndpoint,
  pages: Pages,
  formTokens: FormTokens,
  sessionCookie: Sessions['sessionCookie'],
): Route[] {
  const errorFormat = pageErrorFormat(pages)

  function toResponse(request: PageRequest, result: LogoutResult) {
    if (result.kind === 'confirm') return confirmPage(pages.for(request), formTokens, result)
    const cookie = result.ended ? { 'set-cookie': sessionCookie(null) } : {}
    if (result.kind === 'redirect') {
      const { status, headers } = redirectWithoutCache(result.location)
      return { status, headers: { ...headers, ...cookie } }
    }
    const page = signedOutPage(pages.for(request), result)
    return { ...page, headers: { ...page.headers, ...cookie } }
  }

  return [
    route('startLogout', {
      summary: 'RP-initiated logout: signs the user out and redirects to the application.',
      tag: 'Sign-in',
      caller: { session: true, anonymous: true },
      query: LogoutParameters,
      responses: { 200: Html, 303: null },
      responseHeaders: ['Set-Cookie'],
      errorFormat,
      handle: async ({ caller, request }) =>
        toResponse(request, await endpoint.start(parseQuery(request.url), caller?.sessionId)),
    }),
    route('startLogoutByForm', {
      summary: 'The same with the parameters in a form (RP-Initiated Logout §2).',
      tag: 'Sign-in',
      caller: { anonymous: true },
      body: LogoutParameters,
      bodyTypes: ['form'],
      responses: { 303: null },
      errorFormat,
      handle: async ({ body, request }) => redirectToGet('/oauth2/logout', request.url, body),
    }),
    route('oauthLogoutForm', {
      summary: 'The form of the logout page: the user confirms the logout.',
      tag: 'Sign-in',
      caller: { session: true, anonymous: true },
      body: Form,
      bodyTypes: ['form'],
      responses: { 200: Html, 303: null },
      errorFormat,
      rejectCrossSite: true,
      handle: async ({ caller, request, body }) => {
        const token = toParameters(body).get('token')
        const result = await endpoint.confirm(parseQuery(request.url), caller?.sessionId, bindings =>
          formTokens.verify(token, bindings.session, bindings.request),
        )
        return toResponse(request, result)
      },
    }),
  ]
}
