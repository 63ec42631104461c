import { PathIds } from '@gatehouse/protocol/ids'
import { Message, UpdateMessageBody } from '@gatehouse/protocol/messages'
import { noContent, ok, type Route, route } from '../../../http/route.ts'
import type { Conversation } from '../index.ts'

/** `/api/channels/:id/messages/:messageId` */
export function messageRoute({ conversation }: { conversation: Conversation }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/channels/:id/messages/:messageId',
      summary: 'A message.',
      tag: 'Messages',
      caller: { session: true },
      params: PathIds('id', 'messageId'),
      answers: { 200: Message },
      errors: ['not_found'],
      handle: async ({ caller, params }) =>
        ok(await conversation.read(caller.userId, params.id, params.messageId)),
    }),
    route({
      method: 'PATCH',
      path: '/api/channels/:id/messages/:messageId',
      summary: 'Edits a message of one’s own.',
      tag: 'Messages',
      caller: { session: true, bot: true },
      params: PathIds('id', 'messageId'),
      body: UpdateMessageBody,
      answers: { 200: Message },
      errors: ['not_found', 'missing_permission', 'interaction_not_answered'],
      handle: async ({ caller, params, body }) =>
        ok(await conversation.edit(caller, params.id, params.messageId, body)),
    }),
    route({
      method: 'DELETE',
      path: '/api/channels/:id/messages/:messageId',
      summary: 'Deletes a message of one’s own, or any with MANAGE_MESSAGES.',
      tag: 'Messages',
      caller: { session: true, bot: true },
      params: PathIds('id', 'messageId'),
      answers: { 204: null },
      errors: ['not_found', 'missing_permission'],
      async handle({ caller, params }) {
        await conversation.remove(caller.userId, params.id, params.messageId)
        return noContent()
      },
    }),
  ]
}
