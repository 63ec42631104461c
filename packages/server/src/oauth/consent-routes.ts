import { Form } from '../http/form.ts'
import { type FormTokens, type Pages, pageErrorFormat } from '../http/html-pages.ts'
import { Html } from '../http/media.ts'
import { type Route, route } from '../http/route.ts'
import type { AuthorizationEndpoint } from './authorize.ts'
import { readBrowser, toResponse } from './authorize-routes.ts'
import { parseQuery, toParameters } from './parameters.ts'

export function consentRoutes(
  endpoint: AuthorizationEndpoint,
  pages: Pages,
  formTokens: FormTokens,
  baseUrl: string,
): Route[] {
  return [
    route('consentForm', {
      summary: 'The form of the consent page: the user allows or denies the authorization request.',
      tag: 'Sign-in',
      caller: { session: true, anonymous: true },
      body: Form,
      bodyTypes: ['form'],
      responses: { 200: Html, 303: null },
      errors: ['not_found', 'missing_permission', 'banned', 'limit_reached'],
      errorFormat: pageErrorFormat(pages),
      handle: async ({ caller, request, body }) => {
        const form = toParameters(body)
        const decision = {
          choice: readChoice(form.get('decision')),
          selectedScopes: form.pairs.filter(([name]) => name === 'allow').map(([, value]) => value),
          serverId: form.get('server_id'),
        }
        const { browser, cookies } = readBrowser(request, caller, baseUrl)
        const result = await endpoint.decide(parseQuery(request.url), browser, decision, bindings =>
          formTokens.verify(form.get('token'), bindings.session, bindings.request),
        )
        return toResponse(result, pages.for(request), formTokens, cookies, baseUrl)
      },
    }),
  ]
}

/** Everything but a known choice denies the request. */
function readChoice(text: string | undefined): 'allow' | 'resend' | 'deny' {
  return text === 'allow' || text === 'resend' ? text : 'deny'
}
