import { Introspection, IntrospectParameters } from '@gatehouse/protocol/oauth'
import { type Route, respond, route } from '../http/route.ts'
import type { IntrospectionEndpoint } from './introspection.ts'
import { invalidClient, tokenErrorFormat, tokenHeaders } from './oauth-errors.ts'
import { toParameters } from './parameters.ts'

export function introspectionRoute(introspect: IntrospectionEndpoint): Route {
  return route('introspectToken', {
    summary: 'Introspects a token of the calling confidential application (RFC 7662).',
    tag: 'Sign-in',
    caller: { anonymous: true },
    documentedAuthentication: 'client',
    body: IntrospectParameters,
    bodyTypes: ['form'],
    responses: { 200: Introspection },
    errors: ['rate_limited'],
    documentedErrors: [invalidClient()],
    errorFormat: tokenErrorFormat,
    handle: async ({ request, body }) => {
      const { authorization } = request.headers
      const response = await introspect({ authorization, form: toParameters(body), ip: request.ip })
      return respond(200, response, tokenHeaders)
    },
  })
}
