import { PathIds } from '@gatehouse/protocol/ids'
import { Authorization } from '@gatehouse/protocol/users'
import { list } from '@gatehouse/protocol/wire'
import { noContent, ok, type Route, route } from '../http/route.ts'
import type { Authorizations } from './authorizations.ts'

export function authorizationsRoutes(authorizations: Authorizations): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/users/@me/authorizations',
      operationId: 'listAuthorizations',
      summary: 'Lists the applications that the user has authorized.',
      tag: 'Users',
      caller: { session: true },
      responses: { 200: list(Authorization) },
      handle: async ({ caller }) => ok(await authorizations.list(caller.userId)),
    }),
    route({
      method: 'DELETE',
      path: '/api/users/@me/authorizations/:applicationId',
      operationId: 'revokeAuthorization',
      summary: 'Revokes the consent and all tokens of an application.',
      tag: 'Users',
      caller: { session: true },
      params: PathIds('applicationId'),
      responses: { 204: null },
      errors: ['not_found'],
      handle: ({ caller, params }) => noContent(authorizations.revoke(caller.userId, params.applicationId)),
    }),
  ]
}
