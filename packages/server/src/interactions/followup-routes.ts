import { ResponseData } from '@gatehouse/protocol/interactions'
import { Message, UpdateMessageBody } from '@gatehouse/protocol/messages'
import { noContent, ok, type Route, route } from '../http/route.ts'
import { botRoute, FollowupParams, InteractionParams, toResponseCredentials } from './bot-response-route.ts'
import type { CreateFollowup } from './followups.ts'
import type { Responses } from './responses.ts'

const common = {
  ...botRoute,
  errors: ['not_found', 'interaction_not_answered', 'interaction_timed_out', 'interaction_token_expired'],
} as const
// The operations count the rate `followups`, because the channel is not in the path.
const limited = { ...common, errors: [...common.errors, 'rate_limited'] } as const

export function followupRoutes(createFollowup: CreateFollowup, responses: Responses): Route[] {
  return [
    route({
      ...limited,
      method: 'POST',
      path: '/api/interactions/:id/:token/followup',
      operationId: 'createFollowup',
      summary: 'Sends a follow-up message. The first one after defer replaces the placeholder.',
      params: InteractionParams,
      body: ResponseData,
      responses: { 200: Message },
      handle: async ({ caller, params, body }) =>
        ok(await createFollowup(toResponseCredentials(caller, params), body)),
    }),
    route({
      ...limited,
      method: 'PATCH',
      path: '/api/interactions/:id/:token/followup/:messageId',
      operationId: 'updateFollowup',
      summary: 'Edits a follow-up message.',
      params: FollowupParams,
      body: UpdateMessageBody,
      responses: { 200: Message },
      handle: async ({ caller, params, body }) =>
        ok(await responses.edit(toResponseCredentials(caller, params), body)),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/api/interactions/:id/:token/followup/:messageId',
      operationId: 'deleteFollowup',
      summary: 'Deletes a follow-up message.',
      params: FollowupParams,
      responses: { 204: null },
      handle: ({ caller, params }) => noContent(responses.delete(toResponseCredentials(caller, params))),
    }),
  ]
}
