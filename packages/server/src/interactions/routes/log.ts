import { PathIds } from '@gatehouse/protocol/ids'
import { InteractionLogEntry } from '@gatehouse/protocol/interactions'
import { defaultListLimit } from '@gatehouse/protocol/limits'
import { LimitQuery } from '@gatehouse/protocol/lists'
import { Type } from '@gatehouse/protocol/type'
import { ok, type Route, route } from '../../http/route.ts'
import type { Interactions } from '../index.ts'

/** `/api/applications/:id/interactions` */
export function logRoute({ interactions }: { interactions: Interactions }): Route {
  return route({
    method: 'GET',
    path: '/api/applications/:id/interactions',
    summary: 'The last interactions of an application: what was sent, how it was delivered, what came back.',
    tag: 'Developer console',
    caller: { session: true },
    params: PathIds('id'),
    query: LimitQuery,
    answers: { 200: Type.Array(InteractionLogEntry) },
    errors: ['not_found'],
    handle: async ({ caller, params, query }) =>
      ok(await interactions.log(caller.userId, params.id, query.limit ?? defaultListLimit)),
  })
}
