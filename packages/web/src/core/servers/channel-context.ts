import type { Channel } from '@gatehouse/protocol/channels'
import { has, Permission, permissionFor } from '@gatehouse/protocol/permissions'
import type { Member, Role } from '@gatehouse/protocol/servers'
import type { SelfUser, User } from '@gatehouse/protocol/users'
import { createContext, useContext, useMemo } from 'react'
import { useBlockedIds, useChannels, useMembers, useRoles, useSelf, useServers } from '../api/queries.ts'
import { maxLoadedMembers } from '../api/query-options.ts'
import { textChannels } from './channel-order.ts'
import { ownChannelPermissions } from './permissions.ts'
import { useViewers } from './use-viewers.ts'
import { useWriteRestriction, type WriteRestriction } from './use-write-restriction.ts'

/** Data that the rows of a channel need in addition to their message. */
export interface ChannelContext {
  channel: Channel
  /** The name of the channel, or of the recipient of a direct message channel. */
  name: string
  self: SelfUser
  members: readonly Member[]
  /** The members who can view the channel, undefined while loading. */
  viewers: readonly Member[] | undefined
  roles: readonly Role[]
  /** The channels of the server, without categories. */
  channels: readonly Channel[]
  /** The name of a user if the user is loaded. */
  nameOf(userId: string): string | undefined
  member(userId: string): Member | undefined
  isBlocked(userId: string): boolean
  restriction: WriteRestriction | undefined
  may: {
    write: boolean
    manageMessages: boolean
    useCommands: boolean
    /** The commands of bots in the menus of users and messages. */
    useCommandMenus: boolean
    manageWebhooks: boolean
    manage: boolean
  }
}

const Context = createContext<ChannelContext | undefined>(undefined)

export const ChannelProvider = Context.Provider

export function useChannelContext(): ChannelContext {
  const channel = useContext(Context)
  if (!channel) throw new Error('useChannelContext must be used inside a ChannelProvider.')
  return channel
}

const noMembers: readonly Member[] = []
const noRoles: readonly Role[] = []
const noChannels: readonly Channel[] = []

export function useChannelContextValue(channel: Channel, name: string): ChannelContext {
  const self = useSelf()
  const server = useServers().find(({ id }) => id === channel.serverId)
  const { data: members = noMembers } = useMembers(channel.serverId)
  const viewers = useViewers(channel)
  const { data: roles = noRoles } = useRoles(channel.serverId)
  const { data: channels = noChannels } = useChannels(channel.serverId)
  const blockedIds = useBlockedIds()
  const ownMember = members.find(({ user }) => user.id === self.id)
  const restriction = useWriteRestriction(self, server, ownMember)
  return useMemo(() => {
    const users = new Map<string, Pick<User, 'displayName'>>([[self.id, self]])
    if (channel.recipient) users.set(channel.recipient.id, channel.recipient)
    const byId = new Map(members.map(member => [member.user.id, member]))
    const permissions = server
      ? ownChannelPermissions(channel, {
          permissions: server.permissions,
          userId: self.id,
          roles: ownMember?.roles ?? [],
          isTimedOut: restriction?.reason === 'timed_out',
        })
      : 0n
    const isDirect = channel.serverId === null
    // On a large server, a bot may be among the members who are not loaded.
    const mayHaveBot = members.length >= maxLoadedMembers || members.some(({ user }) => user.bot)
    return {
      channel,
      name,
      self,
      members,
      viewers,
      roles,
      channels: textChannels(channels),
      member: id => byId.get(id),
      isBlocked: id => blockedIds.has(id),
      nameOf: id => {
        const member = byId.get(id)
        return member?.nick ?? member?.user.displayName ?? users.get(id)?.displayName
      },
      restriction,
      may: {
        write: channel.recipient
          ? !blockedIds.has(channel.recipient.id)
          : !restriction && has(permissions, permissionFor.sendMessage),
        manageMessages: has(permissions, permissionFor.deleteMessageOfOthers),
        useCommands: !isDirect && !restriction && has(permissions, Permission.USE_COMMANDS),
        useCommandMenus:
          !isDirect && !restriction && mayHaveBot && has(permissions, permissionFor.useCommand),
        manageWebhooks: has(permissions, permissionFor.manageWebhooks),
        manage: has(permissions, permissionFor.manageChannels),
      },
    }
  }, [channel, name, self, server, members, ownMember, viewers, roles, channels, blockedIds, restriction])
}
