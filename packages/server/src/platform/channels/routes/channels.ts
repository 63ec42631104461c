import { Channel, CreateChannelBody } from '@gatehouse/protocol/channels'
import { PathIds } from '@gatehouse/protocol/ids'
import { Type } from '@gatehouse/protocol/type'
import { created, ok, type Route, route } from '../../../http/route.ts'
import type { Channels } from '../index.ts'

/** `/api/servers/:id/channels` */
export function channelsRoute({ channels }: { channels: Channels }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/servers/:id/channels',
      summary: 'The channels of a server that one may view, in their order.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id'),
      answers: { 200: Type.Array(Channel) },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await channels.listChannels(caller.userId, params.id)),
    }),
    route({
      method: 'POST',
      path: '/api/servers/:id/channels',
      summary: 'Makes a channel.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id'),
      body: CreateChannelBody,
      answers: { 201: Channel },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params, body }) =>
        created(await channels.createChannel(caller.userId, params.id, body)),
    }),
  ]
}
