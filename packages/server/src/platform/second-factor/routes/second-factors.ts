import { SecondFactors } from '@gatehouse/protocol/second-factor'
import { ok, type Route, route } from '../../../http/route.ts'
import type { Factors } from '../factors.ts'
import { own } from './owner.ts'

export function secondFactorsRoute({ factors }: { factors: Pick<Factors, 'list'> }): Route {
  return route({
    ...own,
    method: 'GET',
    path: '/api/users/@me/second-factors',
    summary: 'By what one signs in beside the password',
    answers: { 200: SecondFactors },
    handle: async ({ caller }) => ok(await factors.list(caller.userId)),
  })
}
