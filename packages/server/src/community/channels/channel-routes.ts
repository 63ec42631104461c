import { Channel, CreateChannelBody, CreateDmBody, UpdateChannelBody } from '@gatehouse/protocol/channels'
import { PageQuery } from '@gatehouse/protocol/lists'
import { list } from '@gatehouse/protocol/wire'
import { created, noContent, ok, type Route, route } from '../../http/route.ts'
import type { Channels, DirectMessages } from './index.ts'

export function channelRoutes({
  channels,
  directMessages,
}: {
  channels: Channels
  directMessages: DirectMessages
}): Route[] {
  return [
    route('listChannels', {
      summary: 'Lists the channels of a server that the user can view, by position.',
      tag: 'Servers',
      caller: { session: true, bot: true },
      responses: { 200: list(Channel) },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await channels.listChannels(caller.userId, params.id)),
    }),
    route('createChannel', {
      summary: 'Creates a channel.',
      tag: 'Servers',
      caller: { session: true, bot: true },
      body: CreateChannelBody,
      rates: ['channels'],
      responses: { 201: Channel },
      errors: ['not_found', 'missing_permission', 'limit_reached'],
      handle: async ({ caller, params, body }) =>
        created(await channels.createChannel(caller.userId, params.id, body)),
    }),
    route('getChannel', {
      summary: 'Returns a channel or a direct message of the user.',
      tag: 'Servers',
      caller: { session: true, bot: true },
      responses: { 200: Channel },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await channels.getChannel(caller.userId, params.id)),
    }),
    route('updateChannel', {
      summary: 'Updates a channel.',
      tag: 'Servers',
      caller: { session: true, bot: true },
      body: UpdateChannelBody,
      responses: { 200: Channel },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params, body }) =>
        ok(await channels.updateChannel(caller.userId, params.id, body)),
    }),
    route('deleteChannel', {
      summary: 'Deletes a channel and its messages.',
      tag: 'Servers',
      caller: { session: true, bot: true },
      responses: { 204: null },
      errors: ['not_found', 'missing_permission'],
      handle: ({ caller, params }) => noContent(channels.deleteChannel(caller.userId, params.id)),
    }),
    route('listDirectMessages', {
      summary: 'Lists the direct messages of the user, oldest first.',
      tag: 'Users',
      caller: { session: true, bot: true },
      query: PageQuery,
      responses: { 200: list(Channel) },
      handle: async ({ caller, query }) => ok(await directMessages.listDirectMessages(caller.userId, query)),
    }),
    route('openDirectMessage', {
      summary: 'Opens a direct message with a user on a common server.',
      tag: 'Users',
      caller: { session: true, bot: true },
      body: CreateDmBody,
      rates: ['channels'],
      responses: { 200: Channel, 201: Channel },
      errors: ['not_found'],
      async handle({ caller, body }) {
        const opened = await directMessages.openDirectMessage(caller.userId, body.recipientId)
        return opened.created ? created(opened.channel) : ok(opened.channel)
      },
    }),
  ]
}
