import {
  Channel,
  CreateChannelBody,
  CreateDmBody,
  MoveChannelsBody,
  UpdateChannelBody,
  UpdateDmBody,
} from '@gatehouse/protocol/channels'
import { PageQuery } from '@gatehouse/protocol/lists'
import { list } from '@gatehouse/protocol/wire'
import { created, noContent, noContentAt, ok, type Route, route, routeGroup } from '../../http/route.ts'
import type { Channels, createChannelMoves, DirectMessages } from './index.ts'

const serverRoute = routeGroup({ tag: 'Servers', caller: { session: true, bot: true } })
const userRoute = routeGroup({ tag: 'Users', caller: { session: true, bot: true } })

export function channelRoutes({
  channels,
  moves,
  directMessages,
}: {
  channels: Channels
  moves: ReturnType<typeof createChannelMoves>
  directMessages: DirectMessages
}): Route[] {
  return [
    serverRoute('listChannels', {
      summary: 'Lists the channels of a server that the user can view, by position.',
      responses: { 200: list(Channel) },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await channels.listChannels(caller.userId, params.id)),
    }),
    serverRoute('createChannel', {
      summary: 'Creates a channel.',
      body: CreateChannelBody,
      rates: ['channels'],
      responses: { 201: Channel },
      errors: ['not_found', 'missing_permission', 'limit_reached'],
      auditReason: true,
      handle: async ({ caller, params, body }) =>
        created(await channels.createChannel(caller, params.id, body)),
    }),
    serverRoute('moveChannels', {
      summary: 'Changes the order of channels and their categories.',
      body: MoveChannelsBody,
      responses: { 204: null },
      errors: ['not_found', 'missing_permission', 'limit_reached'],
      rates: ['channelMoves'],
      auditReason: true,
      handle: ({ caller, params, body }) => noContentAt(moves.moveChannels(caller, params.id, body)),
    }),
    serverRoute('getChannel', {
      summary: 'Returns a channel or a direct message of the user.',
      responses: { 200: Channel },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await channels.getChannel(caller.userId, params.id)),
    }),
    serverRoute('updateChannel', {
      summary: 'Updates a channel.',
      body: UpdateChannelBody,
      responses: { 200: Channel },
      errors: ['not_found', 'missing_permission'],
      auditReason: true,
      async handle({ caller, params, body }) {
        const { channel, others } = await channels.updateChannel(caller, params.id, body)
        return { ...ok(channel), cost: others }
      },
    }),
    serverRoute('deleteChannel', {
      summary: 'Deletes a channel and its messages.',
      responses: { 204: null },
      errors: ['not_found', 'missing_permission'],
      auditReason: true,
      handle: ({ caller, params }) => noContentAt(channels.deleteChannel(caller, params.id)),
    }),
    userRoute('listDirectMessages', {
      summary: 'Lists the direct messages of the user, oldest first.',
      query: PageQuery,
      responses: { 200: list(Channel) },
      handle: async ({ caller, query }) => ok(await directMessages.listDirectMessages(caller.userId, query)),
    }),
    userRoute('openDirectMessage', {
      summary: 'Opens a direct message with a user on a common server.',
      body: CreateDmBody,
      rates: ['channels'],
      responses: { 200: Channel, 201: Channel },
      errors: ['not_found'],
      async handle({ caller, body }) {
        const opened = await directMessages.openDirectMessage(caller.userId, body.recipientId)
        return opened.created ? created(opened.channel) : ok(opened.channel)
      },
    }),
    route('updateDirectMessage', {
      summary: 'Closes or mutes a direct message for the user, or ends that.',
      tag: 'Users',
      caller: { session: true },
      body: UpdateDmBody,
      responses: { 204: null },
      errors: ['not_found'],
      handle: ({ caller, params, body }) =>
        noContent(directMessages.updateDirectMessage(caller.userId, params.id, body)),
    }),
  ]
}
