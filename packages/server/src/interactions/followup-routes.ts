import { ResponseData } from '@gatehouse/protocol/interactions'
import { Message, UpdateMessageBody } from '@gatehouse/protocol/messages'
import { noContent, ok, type Route } from '../http/route.ts'
import {
  botResponseRoute,
  FollowupParams,
  InteractionParams,
  responseErrors,
  sendErrors,
  toResponseCredentials,
} from './bot-response-route.ts'
import type { CreateFollowup } from './followups.ts'
import type { Responses } from './responses.ts'

export function followupRoutes(createFollowup: CreateFollowup, responses: Responses): Route[] {
  return [
    botResponseRoute('createFollowup', {
      summary: 'Sends a follow-up message. The first one after defer replaces the placeholder.',
      params: InteractionParams,
      body: ResponseData,
      responses: { 200: Message },
      errors: sendErrors,
      handle: async ({ caller, params, body }) =>
        ok(await createFollowup(toResponseCredentials(caller, params), body)),
    }),
    botResponseRoute('updateFollowup', {
      summary: 'Edits a follow-up message.',
      params: FollowupParams,
      body: UpdateMessageBody,
      responses: { 200: Message },
      errors: sendErrors,
      handle: async ({ caller, params, body }) =>
        ok(await responses.edit(toResponseCredentials(caller, params), body)),
    }),
    botResponseRoute('deleteFollowup', {
      summary: 'Deletes a follow-up message.',
      params: FollowupParams,
      responses: { 204: null },
      errors: responseErrors,
      handle: ({ caller, params }) => noContent(responses.delete(toResponseCredentials(caller, params))),
    }),
  ]
}
