import type { Channel } from '@gatehouse/protocol/channels'
import type { EventMap } from '@gatehouse/protocol/gateway'
import type { Message } from '@gatehouse/protocol/messages'
import type { Member, Role, UserServer } from '@gatehouse/protocol/servers'
import type { QueryClient } from '@tanstack/react-query'
import type { Api } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import type { Store } from '../app/store.ts'
import type { Timelines } from '../chat/timelines.ts'
import type { Unread } from '../chat/unread.ts'
import type { Invocations } from '../commands/invocations.ts'
import type { GatewayEvent } from './connection.ts'

interface Parts {
  api: Api
  queries: QueryClient
  timelines: Timelines
  invocations: Invocations
  unread: Unread
  announcement: Store<string>
  selfId: string
}

type Handlers = { [Name in keyof EventMap]?: (d: EventMap[Name], parts: Parts) => void }

/** What each event changes (D61). */
const handlers: Handlers = {
  READY({ readStates = [], servers, user }, { unread, queries }) {
    unread.begin(readStates, servers)
    // The name may have changed while nothing was heard.
    queries.setQueryData(keys.self, user)
  },
  CHANNEL_READ({ channelId, messageId }, { unread }) {
    unread.read(channelId, messageId)
  },
  USER_UPDATE(self, { queries, timelines }) {
    queries.setQueryData(keys.self, self)
    const { email: _, emailVerified: __, ...user } = self
    timelines.renamed(user)
  },
  MESSAGE_CREATE: messageCame,
  MESSAGE_UPDATE(message, { invocations, timelines, unread, selfId }) {
    if (message.interaction) invocations.messageSeen(message.interaction.id)
    timelines.updated(message)
    unread.updated(message, selfId)
  },
  MESSAGE_DELETE({ channelId, id }, { timelines, unread }) {
    timelines.removed(channelId, id)
    unread.removed(channelId, id)
  },
  INTERACTION_UPDATE(update, { invocations }) {
    invocations.update(update)
  },
  CHANNEL_CREATE: putChannel,
  CHANNEL_UPDATE: putChannel,
  CHANNEL_DELETE({ id, serverId }, { queries, timelines, unread }) {
    const key = serverId ? keys.channels(serverId) : keys.directChannels
    queries.setQueryData<Channel[]>(key, list => list?.filter(other => other.id !== id))
    timelines.forget(id)
    unread.clear(id)
  },
  SERVER_ADD({ id }, { queries, unread }) {
    unread.setRoles(id, [])
    // The event does not say what one may do there.
    void queries.invalidateQueries({ queryKey: keys.servers })
  },
  SERVER_UPDATE(server, { queries }) {
    queries.setQueryData(keys.server(server.id), server)
    queries.setQueryData<UserServer[]>(keys.servers, list =>
      list?.map(other =>
        other.id === server.id ? { ...other, name: server.name, icon: server.icon } : other,
      ),
    )
  },
  SERVER_REMOVE({ id }, { queries, unread }) {
    queries.setQueryData<UserServer[]>(keys.servers, list => list?.filter(other => other.id !== id))
    unread.clearServer(id)
  },
  MEMBER_ADD: putMember,
  MEMBER_UPDATE: putMember,
  MEMBER_REMOVE({ serverId, user }, { queries }) {
    queries.setQueryData<Member[]>(keys.members(serverId), list =>
      list?.filter(other => other.user.id !== user.id),
    )
    void queries.invalidateQueries({ queryKey: keys.integrations(serverId) })
  },
  ROLE_CREATE: putRole,
  ROLE_UPDATE: putRole,
  ROLE_DELETE({ id, serverId }, { queries }) {
    queries.setQueryData<Role[]>(keys.roles(serverId), list => list?.filter(other => other.id !== id))
    permissionsMayHaveChanged(queries, serverId)
  },
  COMMANDS_UPDATE(_, { queries }) {
    void queries.invalidateQueries({ queryKey: ['commands'] })
  },
}

/** Writes what the gateway says to the place where the screens read it. Events that are not known are passed over. */
export function applyEvent(event: GatewayEvent, parts: Parts): void {
  const handle: ((d: never, parts: Parts) => void) | undefined = handlers[event.t]
  handle?.(event.d as never, parts)
}

function messageCame(
  { nonce, ...message }: Message & { nonce?: string },
  { queries, timelines, invocations, unread, announcement, selfId }: Parts,
) {
  timelines.arrived(message, nonce)
  if (message.interaction) invocations.messageSeen(message.interaction.id)
  unread.arrived(message, selfId)
  if (message.author.id === selfId) return
  if (message.serverId === null && !knowsDirect(queries, message.channelId)) {
    void queries.invalidateQueries({ queryKey: keys.directChannels })
  }
  if (unread.viewing() !== message.channelId) return
  const text = message.content || message.embeds[0]?.title || message.embeds[0]?.description || ''
  if (text) announcement.set(() => `${message.author.displayName}: ${text}`)
}

function knowsDirect(queries: QueryClient, channelId: string): boolean {
  return queries.getQueryData<Channel[]>(keys.directChannels)?.some(({ id }) => id === channelId) ?? false
}

function putChannel(channel: Channel, { queries, timelines }: Parts) {
  if (channel.recipient) timelines.renamed(channel.recipient)
  const key = channel.serverId ? keys.channels(channel.serverId) : keys.directChannels
  queries.setQueryData<Channel[]>(key, list => list && put(list, channel, ({ id }) => id === channel.id))
  void queries.invalidateQueries({ queryKey: keys.commands(channel.id) })
}

function putMember(
  { serverId, ...member }: Member & { serverId: string },
  { queries, timelines, unread, selfId }: Parts,
) {
  queries.setQueryData<Member[]>(
    keys.members(serverId),
    list => list && put(list, member, ({ user }) => user.id === member.user.id),
  )
  const { user } = member
  queries.setQueryData<Channel[]>(keys.directChannels, list =>
    list?.map(channel => (channel.recipient?.id === user.id ? { ...channel, recipient: user } : channel)),
  )
  timelines.renamed(user)
  if (user.id !== selfId) return
  unread.setRoles(serverId, member.roles)
  permissionsMayHaveChanged(queries, serverId)
}

function putRole(role: Role, { queries }: Parts) {
  queries.setQueryData<Role[]>(
    keys.roles(role.serverId),
    list => list && put(list, role, ({ id }) => id === role.id),
  )
  permissionsMayHaveChanged(queries, role.serverId)
}

function put<Item>(list: readonly Item[], item: Item, isSame: (other: Item) => boolean): Item[] {
  const at = list.findIndex(isSame)
  return at < 0 ? [...list, item] : list.with(at, item)
}

function permissionsMayHaveChanged(queries: QueryClient, serverId: string) {
  void queries.invalidateQueries({ queryKey: keys.servers })
  void queries.invalidateQueries({ queryKey: keys.channels(serverId) })
  void queries.invalidateQueries({ queryKey: ['commands'] })
}

/** Events were missed: all that they would have kept up to date is asked for again where it is shown. */
export function forgetWhatMayHaveChanged(queries: QueryClient): void {
  const kept = ['servers', 'server', 'direct', 'channels', 'members', 'roles', 'commands', 'integrations']
  void queries.invalidateQueries({ predicate: ({ queryKey }) => kept.includes(String(queryKey[0])) })
}
