import { Channel, UpdateChannelBody } from '@gatehouse/protocol/channels'
import { PathIds } from '@gatehouse/protocol/ids'
import { noContent, ok, type Route, route } from '../../../http/route.ts'
import type { Channels } from '../index.ts'

/** `/api/channels/:id` */
export function channelRoute({ channels }: { channels: Channels }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/channels/:id',
      summary: 'A channel, or a direct message of one’s own.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id'),
      answers: { 200: Channel },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await channels.getChannel(caller.userId, params.id)),
    }),
    route({
      method: 'PATCH',
      path: '/api/channels/:id',
      summary: 'Changes a channel.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id'),
      body: UpdateChannelBody,
      answers: { 200: Channel },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params, body }) =>
        ok(await channels.updateChannel(caller.userId, params.id, body)),
    }),
    route({
      method: 'DELETE',
      path: '/api/channels/:id',
      summary: 'Deletes a channel with all that was said in it.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id'),
      answers: { 204: null },
      errors: ['not_found', 'missing_permission'],
      async handle({ caller, params }) {
        await channels.deleteChannel(caller.userId, params.id)
        return noContent()
      },
    }),
  ]
}
