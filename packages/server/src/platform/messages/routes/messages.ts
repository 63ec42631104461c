import { PathIds } from '@gatehouse/protocol/ids'
import { PageQuery } from '@gatehouse/protocol/lists'
import { CreateMessageBody, Message } from '@gatehouse/protocol/messages'
import { Type } from '@gatehouse/protocol/type'
import { created, ok, type Route, route } from '../../../http/route.ts'
import type { Conversation } from '../index.ts'

/** `/api/channels/:id/messages` */
export function messagesRoute({ conversation }: { conversation: Conversation }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/channels/:id/messages',
      summary: 'The history of a channel, newest first.',
      tag: 'Messages',
      caller: { session: true },
      params: PathIds('id'),
      query: PageQuery,
      answers: { 200: Type.Array(Message) },
      errors: ['not_found'],
      handle: async ({ caller, params, query }) =>
        ok(await conversation.history(caller.userId, params.id, query)),
    }),
    route({
      method: 'POST',
      path: '/api/channels/:id/messages',
      summary: 'Says something in a channel.',
      tag: 'Messages',
      caller: { session: true, bot: true },
      params: PathIds('id'),
      body: CreateMessageBody,
      answers: { 201: Message },
      errors: ['not_found', 'missing_permission', 'email_not_verified'],
      handle: async ({ caller, params, body }) => created(await conversation.say(caller, params.id, body)),
    }),
  ]
}
