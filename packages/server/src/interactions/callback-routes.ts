import { CallbackBody, CallbackResponse } from '@gatehouse/protocol/interactions'
import { ok, type Route } from '../http/route.ts'
import { botResponseRoute, InteractionParams, toResponseCredentials } from './bot-response-route.ts'
import type { Callback } from './callbacks.ts'

export function callbackRoute(callback: Callback): Route {
  return botResponseRoute('createCallback', {
    summary: 'Sends the first response to an interaction: once, within 3 seconds.',
    params: InteractionParams,
    body: CallbackBody,
    responses: { 200: CallbackResponse },
    errors: [
      'not_found',
      'cannot_message_user',
      'interaction_already_answered',
      'interaction_timed_out',
      'rate_limited',
    ],
    handle: async ({ caller, params, body }) =>
      ok({ message: await callback(toResponseCredentials(caller, params), body) }),
  })
}
