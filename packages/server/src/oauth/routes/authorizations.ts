import { Id } from '@gatehouse/protocol/ids'
import { Type } from '@gatehouse/protocol/type'
import { Authorization } from '@gatehouse/protocol/users'
import { noContent, ok, type Route, route } from '../../http/route.ts'
import type { OAuthRouteDeps } from './deps.ts'

/** `/api/users/@me/authorizations` */
export function authorizationsRoutes({ oauth }: OAuthRouteDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/users/@me/authorizations',
      summary: 'What one has allowed which application.',
      tag: 'People',
      caller: { session: true },
      answers: { 200: Type.Array(Authorization) },
      handle: async ({ caller }) => ok(await oauth.listAuthorizations(caller.userId)),
    }),
    route({
      method: 'DELETE',
      path: '/api/users/@me/authorizations/:applicationId',
      summary: 'Withdraws it: the consent is forgotten, every token of it ends.',
      tag: 'People',
      caller: { session: true },
      params: Type.Object({ applicationId: Id }),
      answers: { 204: null },
      errors: ['not_found'],
      handle: async ({ caller, params }) => {
        await oauth.withdraw(caller.userId, params.applicationId)
        return noContent()
      },
    }),
  ]
}
