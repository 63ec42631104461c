import { Channel, CreateDmBody } from '@gatehouse/protocol/channels'
import { PageQuery } from '@gatehouse/protocol/lists'
import { Type } from '@gatehouse/protocol/type'
import { created, ok, type Route, route } from '../../../http/route.ts'
import type { DirectMessages } from '../index.ts'

/** `/api/users/@me/channels` */
export function myChannelsRoute({ directMessages }: { directMessages: DirectMessages }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/users/@me/channels',
      summary: 'One’s direct messages.',
      tag: 'People',
      caller: { session: true },
      query: PageQuery,
      answers: { 200: Type.Array(Channel) },
      handle: async ({ caller, query }) => ok(await directMessages.listDirectMessages(caller.userId, query)),
    }),
    route({
      method: 'POST',
      path: '/api/users/@me/channels',
      summary: 'Opens a direct message with somebody who shares a server.',
      tag: 'People',
      caller: { session: true, bot: true },
      body: CreateDmBody,
      answers: { 200: Channel, 201: Channel },
      errors: ['not_found'],
      async handle({ caller, body }) {
        const opened = await directMessages.openFor(caller.userId, body.recipientId)
        return opened.created ? created(opened.channel) : ok(opened.channel)
      },
    }),
  ]
}
