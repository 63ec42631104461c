import { Message, UpdateMessageBody } from '@gatehouse/protocol/messages'
import { noContent, ok, type Route, route } from '../http/route.ts'
import { botRoute, InteractionParams, toResponseCredentials } from './bot-response-route.ts'
import type { Responses } from './responses.ts'

const common = {
  ...botRoute,
  path: '/api/interactions/:id/:token/original',
  params: InteractionParams,
  errors: ['not_found', 'interaction_not_answered', 'interaction_timed_out', 'interaction_token_expired'],
} as const

export function originalRoutes(responses: Responses): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      operationId: 'getOriginalResponse',
      summary: 'Returns the original response: the message that the first response created or edited.',
      responses: { 200: Message },
      handle: async ({ caller, params }) => ok(await responses.read(toResponseCredentials(caller, params))),
    }),
    route({
      ...common,
      method: 'PATCH',
      operationId: 'updateOriginalResponse',
      summary: 'Edits the original response. After defer this replaces the placeholder.',
      body: UpdateMessageBody,
      // The operation counts the rate `followups`, because the channel is not in the path.
      errors: [...common.errors, 'rate_limited'],
      responses: { 200: Message },
      handle: async ({ caller, params, body }) =>
        ok(await responses.edit(toResponseCredentials(caller, params), body)),
    }),
    route({
      ...common,
      method: 'DELETE',
      operationId: 'deleteOriginalResponse',
      summary: 'Deletes the original response.',
      responses: { 204: null },
      handle: ({ caller, params }) => noContent(responses.delete(toResponseCredentials(caller, params))),
    }),
  ]
}
