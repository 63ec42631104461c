import { UserInfo, UserInfoParameters } from '@gatehouse/protocol/oauth'
import type { FastifyRequest } from 'fastify'
import { type Route, respond, routeGroup } from '../http/route.ts'
import { bearerErrorFormat, OAuthError, tokenHeaders } from './oauth-errors.ts'
import { parseQuery, toParameters } from './parameters.ts'
import { readAccessToken, type UserinfoEndpoint } from './userinfo.ts'

export function userinfoRoutes(readUserinfo: UserinfoEndpoint): Route[] {
  const route = routeGroup({
    tag: 'Sign-in',
    // The handler reads the token itself, because RFC 6750 allows it in the form and has its own errors.
    caller: { anonymous: true },
    documentedAuthentication: 'bearer',
    errors: ['rate_limited'],
    documentedErrors: (['invalid_request', 'invalid_token', 'insufficient_scope'] as const).map(
      error => new OAuthError(error, ''),
    ),
    errorFormat: bearerErrorFormat,
    cors: true,
  })
  const responses = { 200: UserInfo }
  async function handle({ request }: { request: FastifyRequest }) {
    const { authorization } = request.headers
    const token = readAccessToken(authorization, parseQuery(request.url), toParameters(request.body))
    return respond(200, await readUserinfo(token), tokenHeaders)
  }
  return [
    route('getUserInfo', {
      summary: 'Returns claims about the user of the access token (OpenID Connect Core §5.3).',
      responses,
      handle,
    }),
    route('getUserInfoByForm', {
      summary: 'The same, with the access token in the header or in the form.',
      bodyTypes: ['form'],
      content: { 'application/x-www-form-urlencoded': UserInfoParameters },
      responses,
      handle,
    }),
  ]
}
