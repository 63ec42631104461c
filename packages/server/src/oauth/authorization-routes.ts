import { Authorization } from '@gatehouse/protocol/users'
import { list } from '@gatehouse/protocol/wire'
import { noContent, ok, type Route, routeGroup } from '../http/route.ts'
import type { Authorizations } from './authorizations.ts'

const route = routeGroup({ tag: 'Users', caller: { session: true } })

export function authorizationRoutes(authorizations: Authorizations): Route[] {
  return [
    route('listAuthorizations', {
      summary: 'Lists the applications that the user has authorized.',
      responses: { 200: list(Authorization) },
      handle: async ({ caller }) => ok(await authorizations.list(caller.userId)),
    }),
    route('revokeAuthorization', {
      summary: 'Revokes the consent and all tokens of an application.',
      responses: { 204: null },
      errors: ['not_found'],
      handle: ({ caller, params }) => noContent(authorizations.revoke(caller.userId, params.applicationId)),
    }),
  ]
}
