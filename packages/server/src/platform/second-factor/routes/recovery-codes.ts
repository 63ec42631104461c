import { NewRecoveryCodes, RecentProof } from '@gatehouse/protocol/second-factor'
import { ok, type Route, route } from '../../../http/route.ts'
import type { Factors } from '../factors.ts'
import { own, ownerOf } from './owner.ts'

export function recoveryCodesRoute({ factors }: { factors: Pick<Factors, 'renewRecoveryCodes'> }): Route {
  return route({
    ...own,
    method: 'POST',
    path: '/api/users/@me/second-factors/recovery-codes',
    summary: 'A new set of recovery codes, shown this once; the old ones no longer hold',
    body: RecentProof,
    answers: { 200: NewRecoveryCodes },
    errors: ['conflict'],
    handle: async ({ caller, body, request }) =>
      ok(await factors.renewRecoveryCodes(ownerOf(caller, request), body?.currentPassword)),
  })
}
