import { Message, UpdateMessageBody } from '@gatehouse/protocol/messages'
import { noContent, ok, type Route } from '../http/route.ts'
import {
  botResponseRoute,
  InteractionParams,
  responseErrors,
  sendErrors,
  toResponseCredentials,
} from './bot-response-route.ts'
import type { Responses } from './responses.ts'

export function originalRoutes(responses: Responses): Route[] {
  return [
    botResponseRoute('getOriginalResponse', {
      params: InteractionParams,
      summary: 'Returns the original response: the message that the first response created or edited.',
      responses: { 200: Message },
      errors: responseErrors,
      handle: async ({ caller, params }) => ok(await responses.read(toResponseCredentials(caller, params))),
    }),
    botResponseRoute('updateOriginalResponse', {
      params: InteractionParams,
      summary: 'Edits the original response. After defer this replaces the placeholder.',
      body: UpdateMessageBody,
      errors: sendErrors,
      responses: { 200: Message },
      handle: async ({ caller, params, body }) =>
        ok(await responses.edit(toResponseCredentials(caller, params), body)),
    }),
    botResponseRoute('deleteOriginalResponse', {
      params: InteractionParams,
      summary: 'Deletes the original response.',
      responses: { 204: null },
      errors: responseErrors,
      handle: ({ caller, params }) => noContent(responses.delete(toResponseCredentials(caller, params))),
    }),
  ]
}
