import { UserInfo } from '@gatehouse/protocol/oauth'
import { ok, type Route, route } from '../../http/route.ts'
import { bearerErrorFormat, tokenHeaders } from '../errors.ts'
import type { OAuth } from '../index.ts'
import { parseForm, parseQuery } from '../parameters.ts'
import { readAccessToken } from '../userinfo.ts'

export function userinfoRoutes(oauth: Pick<OAuth, 'userinfo'>): Route[] {
  const shared = {
    path: '/api/oauth2/userinfo',
    tag: 'Sign-in',
    // The handler reads the token itself, because RFC 6750 allows it in the form and has its own errors.
    caller: { anonymous: true },
    responses: { 200: UserInfo },
    errorFormat: bearerErrorFormat,
    cors: true,
  } as const
  return [
    route({
      ...shared,
      method: 'GET',
      summary: 'Returns claims about the user of the access token (OpenID Connect Core §5.3).',
      handle: async ({ request }) => {
        const { authorization } = request.headers
        const token = readAccessToken(authorization, parseQuery(request.url), parseForm(undefined))
        return { ...ok(await oauth.userinfo(token)), headers: tokenHeaders }
      },
    }),
    route({
      ...shared,
      method: 'POST',
      summary: 'The same, with the access token in the header or in the form.',
      bodyTypes: ['form'],
      handle: async ({ request }) => {
        const { authorization } = request.headers
        const token = readAccessToken(authorization, parseQuery(request.url), parseForm(request.body))
        return { ...ok(await oauth.userinfo(token)), headers: tokenHeaders }
      },
    }),
  ]
}
