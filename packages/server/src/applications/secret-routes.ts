import { ClientSecret } from '@gatehouse/protocol/applications'
import { ok, type Route, route } from '../http/route.ts'
import type { Applications } from './applications.ts'

export function secretRoute(applications: Applications): Route {
  return route('resetClientSecret', {
    summary: 'Resets the client secret. All tokens of the application are revoked.',
    tag: 'Developer console',
    caller: { session: true },
    responses: { 200: ClientSecret },
    errors: ['not_found'],
    handle: async ({ caller, params }) =>
      ok({ clientSecret: await applications.resetSecret(caller.userId, params.id) }),
  })
}
