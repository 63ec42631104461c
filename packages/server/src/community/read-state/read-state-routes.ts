import { MarkReadBody } from '@gatehouse/protocol/read-state'
import { noContent, type Route, route } from '../../http/route.ts'
import type { ReadStates } from './index.ts'

export function readStateRoutes({ readStates }: { readStates: ReadStates }): Route[] {
  return [
    route('markChannelRead', {
      summary: 'Marks a channel as read up to a message. A mark never moves back.',
      tag: 'Messages',
      caller: { session: true },
      body: MarkReadBody,
      responses: { 204: null },
      errors: ['not_found'],
      handle: ({ caller, params, body }) =>
        noContent(readStates.markRead(caller.userId, params.id, body.messageId)),
    }),
  ]
}
