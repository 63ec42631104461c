import { ClientSecret } from '@gatehouse/protocol/applications'
import { PathIds } from '@gatehouse/protocol/ids'
import { ok, type Route, route } from '../../http/route.ts'
import type { ApplicationRules } from '../index.ts'

export function secretRoute({ applications }: { applications: ApplicationRules }): Route {
  return route({
    method: 'POST',
    path: '/api/applications/:id/secret',
    summary: 'A new client secret, shown this once; every token of the application is revoked',
    tag: 'Developer console',
    caller: { session: true },
    params: PathIds('id'),
    answers: { 200: ClientSecret },
    errors: ['not_found'],
    handle: async ({ caller, params }) =>
      ok({ clientSecret: await applications.resetSecret(caller.userId, params.id) }),
  })
}
