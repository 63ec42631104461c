import { UserInfo } from '@gatehouse/protocol/oauth'
import { ok, type Route, route } from '../../http/route.ts'
import { bearerDialect, tokenHeaders } from '../errors.ts'
import { fromForm, fromQuery } from '../parameters.ts'
import { readBearer } from '../userinfo.ts'
import type { OAuthRouteDeps } from './deps.ts'

const shared = {
  path: '/api/oauth2/userinfo',
  tag: 'Sign-in',
  // The token is read here: RFC 6750 has rules of its own for it, and words for what is wrong.
  caller: { anyone: true },
  answers: { 200: UserInfo },
  dialect: bearerDialect,
  cors: true,
} as const

/** `/api/oauth2/userinfo` */
export function userinfoRoutes({ oauth }: OAuthRouteDeps): Route[] {
  return [
    route({
      ...shared,
      method: 'GET',
      summary: 'Who the token speaks for (OpenID Connect Core §5.3).',
      handle: async ({ request }) => {
        const token = readBearer(request.headers.authorization, fromQuery(request.url), fromForm(undefined))
        return { ...ok(await oauth.userinfo(token)), headers: tokenHeaders }
      },
    }),
    route({
      ...shared,
      method: 'POST',
      summary: 'The same; the token may stand in the form.',
      bodyTypes: ['form'],
      handle: async ({ request }) => {
        const token = readBearer(
          request.headers.authorization,
          fromQuery(request.url),
          fromForm(request.body),
        )
        return { ...ok(await oauth.userinfo(token)), headers: tokenHeaders }
      },
    }),
  ]
}
