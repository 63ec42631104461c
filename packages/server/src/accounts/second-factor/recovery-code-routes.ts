import { NewRecoveryCodes, RecentProof } from '@gatehouse/protocol/second-factor'
import { ok, type Route, route } from '../../http/route.ts'
import { sessionContext } from './second-factor-routes.ts'
import type { SecondFactorSettings } from './second-factors.ts'

export function recoveryCodesRoute({ settings }: { settings: SecondFactorSettings }): Route {
  return route('renewRecoveryCodes', {
    summary:
      'Creates new recovery codes and invalidates the previous ones. No other response contains the codes.',
    tag: 'Second factor',
    caller: { session: true },
    body: RecentProof,
    responses: { 200: NewRecoveryCodes },
    errors: ['conflict'],
    handle: async ({ caller, body, request }) =>
      ok(await settings.renewRecoveryCodes(sessionContext(caller, request), body)),
  })
}
