import { Message, UpdateMessageBody } from '@gatehouse/protocol/messages'
import { noContent, ok, type Route, route } from '../../http/route.ts'
import type { Responses } from '../original.ts'
import type { ReadContext } from '../response-context.ts'
import { botRoute, InteractionParams, toResponseCredentials } from './bot-route.ts'

const common = {
  ...botRoute,
  path: '/api/interactions/:id/:token/original',
  params: InteractionParams,
  errors: ['not_found', 'interaction_not_answered', 'interaction_timed_out', 'interaction_token_expired'],
} as const

export function originalRoutes(responses: Responses, readAhead: ReadContext): Route[] {
  return [
    route({
      ...common,
      readAhead,
      method: 'GET',
      operationId: 'getOriginalResponse',
      summary: 'Returns the original response: the message that the first response created or edited.',
      responses: { 200: Message },
      handle: async ({ caller, params, ahead }) =>
        ok(await responses.read(toResponseCredentials(caller, params, ahead))),
    }),
    route({
      ...common,
      readAhead,
      method: 'PATCH',
      operationId: 'updateOriginalResponse',
      summary: 'Edits the original response. After defer this replaces the placeholder.',
      body: UpdateMessageBody,
      // The operation counts the rate `followups`, because the channel is not in the path.
      errors: [...common.errors, 'rate_limited'],
      responses: { 200: Message },
      handle: async ({ caller, params, body, ahead }) =>
        ok(await responses.edit(toResponseCredentials(caller, params, ahead), body)),
    }),
    route({
      ...common,
      readAhead,
      method: 'DELETE',
      operationId: 'deleteOriginalResponse',
      summary: 'Deletes the original response.',
      responses: { 204: null },
      handle: ({ caller, params, ahead }) =>
        noContent(responses.delete(toResponseCredentials(caller, params, ahead))),
    }),
  ]
}
