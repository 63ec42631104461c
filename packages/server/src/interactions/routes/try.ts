import { PathIds } from '@gatehouse/protocol/ids'
import { TryAnswer, TryBody } from '@gatehouse/protocol/interactions'
import { ok, type Route, route } from '../../http/route.ts'
import type { Interactions } from '../index.ts'

/** `/api/applications/:id/try` */
export function tryRoute({ interactions }: { interactions: Interactions }): Route {
  return route({
    method: 'POST',
    path: '/api/applications/:id/try',
    summary:
      'Use a command of your application and answer it in the place of its bot; only you see the answer.',
    tag: 'Developer console',
    caller: { session: true },
    params: PathIds('id'),
    body: TryBody,
    answers: { 200: TryAnswer },
    errors: ['not_found', 'missing_permission'],
    handle: async ({ caller, params, body }) =>
      ok(await interactions.tryCommand(caller.userId, params.id, body)),
  })
}
