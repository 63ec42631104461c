import { Introspection, TokenParameter } from '@gatehouse/protocol/oauth'
import { ok, type Route, route } from '../../http/route.ts'
import { tokenErrorFormat, tokenHeaders } from '../errors.ts'
import type { OAuth } from '../index.ts'
import { parseForm } from '../parameters.ts'

export function introspectRoutes(oauth: Pick<OAuth, 'introspect'>): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/oauth2/introspect',
      summary: 'Introspects a token of the calling confidential application (RFC 7662).',
      tag: 'Sign-in',
      caller: { anonymous: true },
      body: TokenParameter,
      bodyTypes: ['form'],
      responses: { 200: Introspection },
      errorFormat: tokenErrorFormat,
      handle: async ({ request, body }) => {
        const { authorization } = request.headers
        const response = await oauth.introspect({ authorization, form: parseForm(body), ip: request.ip })
        return { ...ok(response), headers: tokenHeaders }
      },
    }),
  ]
}
