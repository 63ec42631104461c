import { ClientSecret } from '@gatehouse/protocol/applications'
import { PathIds } from '@gatehouse/protocol/ids'
import { ok, type Route, route } from '../http/route.ts'
import type { Applications } from './applications.ts'

export function secretRoute(applications: Applications): Route {
  return route({
    method: 'POST',
    path: '/api/applications/:id/secret',
    operationId: 'resetClientSecret',
    summary: 'Resets the client secret. All tokens of the application are revoked.',
    tag: 'Developer console',
    caller: { session: true },
    params: PathIds('id'),
    responses: { 200: ClientSecret },
    errors: ['not_found'],
    handle: async ({ caller, params }) =>
      ok({ clientSecret: await applications.resetSecret(caller.userId, params.id) }),
  })
}
