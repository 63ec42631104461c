import { PathIds } from '@gatehouse/protocol/ids'
import { InteractionProgress, InvokeAnswer, InvokeBody } from '@gatehouse/protocol/interactions'
import { answer, ok, type Route, route } from '../../http/route.ts'
import type { Interactions } from '../index.ts'

const common = { tag: 'Using commands and buttons', caller: { session: true } } as const

/** `/api/interactions` */
export function interactionsRoute({ interactions }: { interactions: Interactions }): Route[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/api/interactions',
      summary: 'Uses a command or presses a button.',
      body: InvokeBody,
      answers: { 202: InvokeAnswer },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, body }) => answer(202, await interactions.invoke(caller.userId, body)),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/api/interactions/:id',
      summary: 'How far your use of a command or button is.',
      params: PathIds('id'),
      answers: { 200: InteractionProgress },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await interactions.progress(caller.userId, params.id)),
    }),
  ]
}
