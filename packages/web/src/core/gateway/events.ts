import type { Channel } from '@gatehouse/protocol/channels'
import type { UserEventMap } from '@gatehouse/protocol/gateway'
import type { Message } from '@gatehouse/protocol/messages'
import type { Report } from '@gatehouse/protocol/reports'
import type { Member, OwnershipTransfer, Role, UserServer } from '@gatehouse/protocol/servers'
import type { Block } from '@gatehouse/protocol/users'
import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import { keys } from '../api/keys.ts'
import { type MemberPage, maxLoadedMembers } from '../api/query-options.ts'
import type { Invocations } from '../stores/invocations.ts'
import type { Store } from '../stores/store.ts'
import type { Timelines } from '../stores/timelines.ts'
import type { Unread } from '../stores/unread.ts'
import type { DataEvent } from './connection.ts'

interface Stores {
  queries: QueryClient
  timelines: Timelines
  invocations: Invocations
  unread: Unread
  /** The message of the visible channel that a screen reader announces. */
  announcement: Store<Message | undefined>
  selfId: string
}

type Handlers = { [Name in DataEvent['t']]: (d: UserEventMap[Name], stores: Stores) => void }

/** Updates the stores (gateway/event-payloads). */
const handlers: Handlers = {
  READY({ readStates = [], servers, user }, { unread, queries }) {
    unread.reset(readStates, servers)
    // The user may have changed while the client was not connected.
    setLive(queries, keys.self, () => user)
  },
  CHANNEL_READ({ channelId, messageId }, { unread }) {
    unread.channelRead(channelId, messageId)
  },
  CHANNEL_MUTE({ channelId, muted }, { unread }) {
    unread.setMuted(channelId, muted)
  },
  REPORT_CREATE: reloadReports,
  REPORT_UPDATE: reloadReports,
  BLOCK_UPDATE(_, { queries }) {
    void queries.invalidateQueries({ queryKey: keys.blocks })
  },
  USER_UPDATE(self, { queries, timelines }) {
    setLive(queries, keys.self, () => self)
    const { email: _, emailVerified: __, directMessages: ___, ...user } = self
    timelines.userUpdated(user)
  },
  MESSAGE_CREATE: addMessage,
  MESSAGE_UPDATE(message, { queries, invocations, timelines, unread, selfId }) {
    // The message replaces the placeholder of the command that created it. The invocation of a button ends with
    // INTERACTION_UPDATE.
    if (message.interaction) invocations.responseShown(message.interaction.id)
    timelines.messageUpdated(message)
    if (!isBlocked(queries, message.author.id)) unread.messageUpdated(message, selfId)
  },
  MESSAGE_DELETE({ channelId, id }, { timelines, unread }) {
    timelines.messageDeleted(channelId, id)
    unread.messageDeleted(channelId, id)
  },
  INTERACTION_UPDATE(update, { invocations }) {
    invocations.interactionUpdated(update)
  },
  CHANNEL_CREATE: putChannel,
  CHANNEL_UPDATE: putChannel,
  CHANNEL_DELETE({ id, serverId }, { queries, timelines, unread }) {
    const key = serverId ? keys.channels(serverId) : keys.directChannels
    setLive<Channel[]>(queries, key, list => list?.filter(other => other.id !== id))
    if (serverId) void queries.invalidateQueries({ queryKey: keys.commandPermissions(serverId) })
    timelines.removeChannel(id)
    unread.removeChannel(id)
  },
  SERVER_ADD({ id }, { queries, unread }) {
    unread.setRoles(id, [])
    // The event does not contain the permissions of the user.
    void queries.invalidateQueries({ queryKey: keys.servers })
    void queries.invalidateQueries({ queryKey: keys.ownershipTransfers })
  },
  SERVER_UPDATE(server, { queries, selfId }) {
    setLive(queries, keys.server(server.id), () => server)
    setLive<UserServer[]>(queries, keys.servers, list =>
      list?.map(other =>
        other.id === server.id ? { ...other, name: server.name, icon: server.icon } : other,
      ),
    )
    const own = queries.getQueryData<UserServer[]>(keys.servers)?.find(({ id }) => id === server.id)
    if (own && own.owner !== (server.ownerId === selfId)) invalidatePermissions(queries, server.id)
  },
  SERVER_REMOVE({ id }, { queries, unread }) {
    setLive<UserServer[]>(queries, keys.servers, list => list?.filter(other => other.id !== id))
    unread.removeServer(id)
    // The service lists no offer of a deleted or disabled server.
    void queries.invalidateQueries({ queryKey: keys.ownershipTransfers })
  },
  MEMBER_ADD: putMember,
  MEMBER_UPDATE: putMember,
  MEMBER_REMOVE({ serverId, user }, { queries }) {
    const isOther = (other: Member) => other.user.id !== user.id
    // The key is also the prefix of the lists of members who can view a channel.
    for (const { queryKey } of queries.getQueryCache().findAll({ queryKey: keys.members(serverId) })) {
      const before = queries.getQueryData<Member[]>(queryKey)
      setLive<Member[]>(queries, queryKey, list => list?.filter(isOther))
      // With fewer, all members would seem to be loaded.
      if (before?.length === maxLoadedMembers && !before.every(isOther)) {
        void queries.invalidateQueries({ queryKey, exact: true })
      }
    }
    setLive<InfiniteData<MemberPage>>(
      queries,
      keys.memberPages(serverId),
      data =>
        data && {
          ...data,
          pages: data.pages.map(page => ({ ...page, members: page.members.filter(isOther) })),
        },
    )
    void queries.invalidateQueries({ queryKey: keys.integrations(serverId) })
    void queries.invalidateQueries({ queryKey: keys.commandPermissions(serverId) })
  },
  ROLE_CREATE: putRole,
  ROLE_UPDATE: putRole,
  ROLE_DELETE({ id, serverId }, { queries }) {
    setLive<Role[]>(queries, keys.roles(serverId), list => list?.filter(other => other.id !== id))
    invalidatePermissions(queries, serverId)
  },
  OWNERSHIP_TRANSFER_UPDATE({ serverId, transfer }, { queries }) {
    setLive<OwnershipTransfer[]>(queries, keys.ownershipTransfers, list => {
      const others = list?.filter(({ server }) => server.id !== serverId)
      return others && transfer ? [...others, transfer] : others
    })
  },
  COMMANDS_UPDATE(_, { queries }) {
    void queries.invalidateQueries({ queryKey: keys.allCommands })
  },
}

/** Ignores events that the client does not know. */
export function applyEvent(event: DataEvent, stores: Stores): void {
  const handle: ((d: never, stores: Stores) => void) | undefined = handlers[event.t]
  handle?.(event.d as never, stores)
}

function addMessage(
  { nonce, ...message }: Message & { nonce?: string },
  { queries, timelines, invocations, unread, announcement, selfId }: Stores,
) {
  timelines.messageCreated(message, nonce)
  if (message.interaction) invocations.responseShown(message.interaction.id)
  const notifies = !isBlocked(queries, message.author.id)
  unread.messageCreated(message, selfId, notifies)
  if (message.author.id === selfId) return
  if (message.serverId === null && !hasDirectChannel(queries, message.channelId)) {
    void queries.invalidateQueries({ queryKey: keys.directChannels })
  }
  if (!notifies || unread.visibleChannelId() !== message.channelId) return
  announcement.set(() => message)
}

function reloadReports({ serverId }: Pick<Report, 'serverId'>, { queries }: Stores) {
  const queryKey = serverId === null ? keys.allAdminReports : keys.reports(serverId)
  void queries.invalidateQueries({ queryKey })
}

function isBlocked(queries: QueryClient, userId: string): boolean {
  return queries.getQueryData<Block[]>(keys.blocks)?.some(({ user }) => user.id === userId) ?? false
}

function hasDirectChannel(queries: QueryClient, channelId: string): boolean {
  return queries.getQueryData<Channel[]>(keys.directChannels)?.some(({ id }) => id === channelId) ?? false
}

function putChannel(channel: Channel, { queries, timelines }: Stores) {
  if (channel.recipient) timelines.userUpdated(channel.recipient)
  const key = channel.serverId ? keys.channels(channel.serverId) : keys.directChannels
  setLive<Channel[]>(queries, key, list => list && put(list, channel, ({ id }) => id === channel.id))
  void queries.invalidateQueries({ queryKey: keys.commands(channel.id) })
  if (channel.serverId) {
    void queries.invalidateQueries({ queryKey: keys.viewers(channel.serverId, channel.id) })
  }
}

function putMember(
  { serverId, ...member }: Member & { serverId: string },
  { queries, timelines, unread, selfId }: Stores,
) {
  setLive<Member[]>(
    queries,
    keys.members(serverId),
    list => list && put(list, member, ({ user }) => user.id === member.user.id),
  )
  const { user } = member
  setLive<Channel[]>(queries, keys.directChannels, list =>
    list?.map(channel => (channel.recipient?.id === user.id ? { ...channel, recipient: user } : channel)),
  )
  timelines.userUpdated(user)
  if (user.id !== selfId) return
  unread.setRoles(serverId, member.roles)
  invalidatePermissions(queries, serverId)
}

function putRole(role: Role, { queries }: Stores) {
  setLive<Role[]>(
    queries,
    keys.roles(role.serverId),
    list => list && put(list, role, ({ id }) => id === role.id),
  )
  invalidatePermissions(queries, role.serverId)
}

/**
 * Changes data as an event says. While a request for the data is running, changes its result too: the service may have
 * read that before the event.
 */
function setLive<Data>(
  queries: QueryClient,
  queryKey: readonly unknown[],
  change: (data: Data | undefined) => Data | undefined,
) {
  const apply = () => void queries.setQueryData(queryKey, change)
  apply()
  const query = queries.getQueryCache().find({ queryKey, exact: true })
  if (query?.state.fetchStatus === 'fetching') query.promise?.then(apply, () => {})
}

function put<Item>(list: readonly Item[], item: Item, isSame: (other: Item) => boolean): Item[] {
  const index = list.findIndex(isSame)
  return index < 0 ? [...list, item] : list.with(index, item)
}

/** Refetches what depends on the permissions of the user. */
function invalidatePermissions(queries: QueryClient, serverId: string) {
  void queries.invalidateQueries({ queryKey: keys.servers })
  void queries.invalidateQueries({ queryKey: keys.channels(serverId) })
  void queries.invalidateQueries({ predicate: ({ queryKey }) => isViewersKey(queryKey, serverId) })
  void queries.invalidateQueries({ queryKey: keys.allCommands })
}

function isViewersKey([kind, id, channelId]: readonly unknown[], serverId: string): boolean {
  return kind === 'members' && id === serverId && channelId !== undefined
}

const liveKeys = [
  'servers',
  'server',
  'ownership-transfers',
  'direct',
  'blocks',
  'channels',
  'members',
  'roles',
  'reports',
  'commands',
  'integrations',
]

/** Refetches, after a gap in the events, the data that events keep up to date. */
export function invalidateAfterGap(queries: QueryClient): void {
  const live = queries
    .getQueryCache()
    .findAll({ predicate: ({ queryKey }) => liveKeys.includes(String(queryKey[0])) })
  for (const { queryKey, state, promise } of live) {
    const invalidate = () => queries.invalidateQueries({ queryKey, exact: true })
    // A first request that is still running is not repeated, but the service may have handled it before the gap ended.
    if (state.data === undefined && state.fetchStatus === 'fetching') promise?.then(invalidate, invalidate)
    else void invalidate()
  }
}
