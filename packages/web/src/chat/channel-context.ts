import type { Channel } from '@gatehouse/protocol/channels'
import { has, Permission } from '@gatehouse/protocol/permissions'
import type { Member, Role } from '@gatehouse/protocol/servers'
import type { SelfUser, User } from '@gatehouse/protocol/users'
import { createContext, useContext, useMemo } from 'react'
import { useChannels, useMembers, useRoles, useSelf, useServers } from '../api/queries.ts'
import { channelPermissions } from '../servers/permissions.ts'

/** What rows of a channel need to know beyond their message. */
export interface ChannelContext {
  channel: Channel
  /** As it is shown: the channel's name, or the other one's in a direct message. */
  name: string
  self: SelfUser
  members: readonly Member[]
  roles: readonly Role[]
  channels: readonly Channel[]
  /** Name of a person by id, where they are known. */
  nameOf(userId: string): string | undefined
  member(userId: string): Member | undefined
  may: {
    write: boolean
    manageMessages: boolean
    useCommands: boolean
    manageWebhooks: boolean
    manage: boolean
  }
}

const Context = createContext<ChannelContext | undefined>(undefined)

export const ChannelProvider = Context.Provider

export function useChannel(): ChannelContext {
  const channel = useContext(Context)
  if (!channel) throw new Error('There is no ChannelProvider above.')
  return channel
}

const nobody: readonly Member[] = []
const noRoles: readonly Role[] = []
const noChannels: readonly Channel[] = []

export function useChannelContext(channel: Channel, name: string): ChannelContext {
  const self = useSelf()
  const server = useServers().find(({ id }) => id === channel.serverId)
  const { data: members = nobody } = useMembers(channel.serverId)
  const { data: roles = noRoles } = useRoles(channel.serverId)
  const { data: channels = noChannels } = useChannels(channel.serverId)
  return useMemo(() => {
    const people = new Map<string, Pick<User, 'displayName'>>([[self.id, self]])
    if (channel.recipient) people.set(channel.recipient.id, channel.recipient)
    const byId = new Map(members.map(member => [member.user.id, member]))
    const own = byId.get(self.id)
    const permissions = server
      ? channelPermissions(channel, {
          permissions: server.permissions,
          userId: self.id,
          roles: own?.roles ?? [],
        })
      : 0n
    const direct = channel.serverId === null
    return {
      channel,
      name,
      self,
      members,
      roles,
      channels,
      member: id => byId.get(id),
      nameOf: id => {
        const member = byId.get(id)
        return member?.nick ?? member?.user.displayName ?? people.get(id)?.displayName
      },
      may: {
        write: direct || has(permissions, Permission.SEND_MESSAGES),
        manageMessages: has(permissions, Permission.MANAGE_MESSAGES),
        useCommands: !direct && has(permissions, Permission.USE_COMMANDS),
        manageWebhooks: has(permissions, Permission.MANAGE_WEBHOOKS),
        manage: has(permissions, Permission.MANAGE_CHANNELS),
      },
    }
  }, [channel, name, self, server, members, roles, channels])
}
