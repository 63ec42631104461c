import { PageQuery } from '@gatehouse/protocol/lists'
import { CreateMessageBody, Message, UpdateMessageBody } from '@gatehouse/protocol/messages'
import { list } from '@gatehouse/protocol/wire'
import { created, noContent, ok, type Route, routeGroup } from '../../http/route.ts'
import type { Messages } from './index.ts'

const route = routeGroup({ tag: 'Messages', caller: { session: true, bot: true } })

export function messageRoutes({ messages }: { messages: Messages }): Route[] {
  return [
    route('listMessages', {
      summary: 'Lists the messages of a channel, newest first.',
      query: PageQuery,
      responses: { 200: list(Message) },
      errors: ['not_found'],
      handle: async ({ caller, params, query }) =>
        ok(await messages.listMessages(caller.userId, params.id, query)),
    }),
    route('createMessage', {
      summary: 'Sends a message to a channel.',
      body: CreateMessageBody,
      rates: ['channelMessages', 'messages'],
      responses: { 201: Message },
      errors: [
        'not_found',
        'missing_permission',
        'email_not_verified',
        'member_too_new',
        'cannot_message_user',
        'slow_mode',
      ],
      handle: async ({ caller, params, body }) =>
        created(await messages.createMessage(caller, params.id, body)),
    }),
    route('getMessage', {
      summary: 'Returns a message.',
      responses: { 200: Message },
      errors: ['not_found'],
      handle: async ({ caller, params }) =>
        ok(await messages.getMessage(caller.userId, params.id, params.messageId)),
    }),
    route('updateMessage', {
      summary: 'Edits a message of the caller.',
      body: UpdateMessageBody,
      responses: { 200: Message },
      errors: [
        'not_found',
        'missing_permission',
        'email_not_verified',
        'member_too_new',
        'interaction_not_answered',
        'cannot_message_user',
      ],
      handle: async ({ caller, params, body }) =>
        ok(await messages.editMessage(caller, params.id, params.messageId, body)),
    }),
    route('deleteMessage', {
      summary: 'Deletes a message of the caller, or any message with MANAGE_MESSAGES.',
      responses: { 204: null },
      errors: ['not_found', 'missing_permission'],
      auditReason: true,
      handle: ({ caller, params }) => noContent(messages.deleteMessage(caller, params.id, params.messageId)),
    }),
  ]
}
