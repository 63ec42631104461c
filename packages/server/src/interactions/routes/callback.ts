import { CallbackAnswer, CallbackBody } from '@gatehouse/protocol/interactions'
import { ok, type Route, route } from '../../http/route.ts'
import type { Interactions } from '../index.ts'
import { answererOf, OfInteraction, responding } from './responding.ts'

/** `/api/interactions/:id/:token/callback` */
export function callbackRoute({ interactions }: { interactions: Interactions }): Route {
  return route({
    ...responding,
    method: 'POST',
    path: '/api/interactions/:id/:token/callback',
    summary: 'The first response to an interaction: once, within 3 seconds.',
    params: OfInteraction,
    body: CallbackBody,
    answers: { 200: CallbackAnswer },
    errors: ['not_found', 'interaction_already_answered', 'interaction_timed_out'],
    handle: async ({ caller, params, body }) =>
      ok({ message: await interactions.callback(answererOf(caller, params), body) }),
  })
}
