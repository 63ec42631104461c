import type { Channel } from '@gatehouse/protocol/channels'
import type { OptionType, subcommandTypes } from '@gatehouse/protocol/commands'
import type {
  AutocompleteInteraction,
  CommandInteraction,
  ComponentInteraction,
  EventOption,
  InteractionCreate,
  ModalSubmitInteraction,
  ResolvedChannel,
  ResolvedEntities,
  ResolvedMember,
} from '@gatehouse/protocol/interactions'
import type { Member } from '@gatehouse/protocol/servers'
import type {
  APIBaseInteraction,
  APIInteractionDataResolved,
  APIInteractionDataResolvedGuildMember,
  APIPartialInteractionGuild,
  ComponentType,
  InteractionType,
  Locale,
  ModalSubmitActionRowComponent,
} from 'discord-api-types/v10'
import { channelTypes, type DiscordChannel, toDiscordChannel } from './discord-channel.ts'
import { componentTypes, rowType, textInputType } from './discord-components.ts'
import { toDiscordMember, toDiscordMemberWithoutUser } from './discord-member.ts'
import { toDiscordPermissions } from './discord-permissions.ts'
import { toDiscordRole } from './discord-role.ts'
import { toDiscordUser } from './discord-user.ts'
import { type DiscordMessage, interactionTypes } from './message-format.ts'

/** The number of each option type. */
export const optionTypeNumbers = {
  subcommand: 1,
  subcommand_group: 2,
  string: 3,
  integer: 4,
  boolean: 5,
  user: 6,
  channel: 7,
  role: 8,
  mentionable: 9,
  number: 10,
} as const satisfies Record<OptionType | (typeof subcommandTypes)[number], number>

/** The number of each command type. */
export const commandTypeNumbers = { slash: 1, user: 2, message: 3 } as const

const autocompleteType = 4

/** What the event of Discord's API has, and ours not. */
export interface InteractionExtras {
  token: string
  channel: Channel
  /** The user as a member of the server. Undefined in a direct message, and if the user has left since. */
  member: Member | undefined
  /** Of the user in the channel. */
  permissions: string
  /** Of the bot in the channel. */
  appPermissions: string
  /** The server of the command; null for a global command, and for what is no command. */
  commandServerId: string | null
  /** The message that was used, or that a command was chosen for. */
  message: DiscordMessage | undefined
}

type Resolved = APIInteractionDataResolved & { messages?: Record<string, DiscordMessage> }

/** `data` of commands, components and modals. */
interface DiscordInteractionData {
  id?: string
  name?: string
  type?: 1 | 2 | 3
  /** Only of a command of one server: discord.py finds its handler by it. */
  guild_id?: string
  options?: DiscordOption[]
  target_id?: string
  custom_id?: string
  component_type?: ComponentType
  values?: string[]
  components?: ModalSubmitActionRowComponent[]
  resolved?: Resolved
}

interface DiscordOption {
  name: string
  type: number
  value?: string | number | boolean
  focused?: boolean
  options?: DiscordOption[]
}

/** `APIInteraction` with the values of its string enums, as in JSON. */
export type DiscordInteraction = Omit<
  APIBaseInteraction<InteractionType, DiscordInteractionData>,
  'locale' | 'guild_locale' | 'guild' | 'channel' | 'message'
> & {
  locale: `${Locale}`
  guild_locale?: `${Locale}`
  guild?: Omit<APIPartialInteractionGuild, 'locale'> & { locale: `${Locale}` }
  channel: DiscordChannel & { permissions: string }
  message?: DiscordMessage
}

/** Nobody has a language that bots see. */
const locale = 'en-US'

export function toDiscordInteraction(
  event: InteractionCreate,
  extras: InteractionExtras,
): DiscordInteraction {
  const { channel, member, message, token } = extras
  const permissions = toDiscordPermissions(extras.permissions)
  const { id, applicationId, channelId, serverId, user } = event
  const shown = event.type === 'component' || event.type === 'modal_submit' ? message : undefined
  return {
    id,
    application_id: applicationId,
    type: event.type === 'autocomplete' ? autocompleteType : interactionTypes[event.type],
    token,
    version: 1,
    channel_id: channelId,
    channel: toPartialChannel(channel, permissions),
    ...(serverId === null
      ? { context: 1 }
      : {
          guild_id: serverId,
          guild: { id: serverId, features: [], locale },
          guild_locale: locale,
          context: 0,
        }),
    ...(member === undefined
      ? { user: toDiscordUser(user) }
      : { member: { ...toDiscordMember(member), user: toDiscordUser(member.user), permissions } }),
    ...(shown === undefined ? {} : { message: shown }),
    data: {
      ...toDiscordData(event, message),
      ...(extras.commandServerId === null ? {} : { guild_id: extras.commandServerId }),
    },
    app_permissions: toDiscordPermissions(extras.appPermissions),
    locale,
    entitlements: [],
    authorizing_integration_owners: { 0: serverId ?? '0' },
    attachment_size_limit: 0,
  }
}

/** Without the overwrites: clients would replace those that they know. */
function toPartialChannel(given: Channel, permissions: string): DiscordInteraction['channel'] {
  const channel = toDiscordChannel(given)
  if (channel.type === channelTypes.dm) return { ...channel, permissions }
  const { permission_overwrites: _, ...rest } = channel
  return { ...rest, permissions }
}

function toDiscordData(
  event: InteractionCreate,
  message: DiscordMessage | undefined,
): DiscordInteractionData {
  switch (event.type) {
    case 'command':
    case 'autocomplete':
      return toCommandData(event.data, message)
    case 'component':
      return toComponentData(event.data)
    case 'modal_submit':
      return toModalData(event.data)
  }
}

function toCommandData(
  data: CommandInteraction['data'] | AutocompleteInteraction['data'],
  message: DiscordMessage | undefined,
): DiscordInteractionData {
  const { id, name } = data
  if (!('type' in data)) {
    return {
      id,
      name,
      type: commandTypeNumbers.slash,
      options: data.options.map(toDiscordOption),
      ...toResolvedMember(data.resolved),
    }
  }
  const common = { id, name, type: commandTypeNumbers[data.type], target_id: data.targetId }
  if (data.type === 'message') {
    return { ...common, resolved: message === undefined ? {} : { messages: { [message.id]: message } } }
  }
  const { user, member } = data.resolved
  return { ...common, ...toResolvedMember({ users: { [user.id]: user }, members: { [user.id]: member } }) }
}

function toDiscordOption(option: EventOption): DiscordOption {
  const { name } = option
  const type = optionTypeNumbers[option.type]
  if ('options' in option) return { name, type, options: option.options.map(toDiscordOption) }
  return { name, type, value: option.value, ...(option.focused && { focused: true }) }
}

function toComponentData(data: ComponentInteraction['data']): DiscordInteractionData {
  const common = { custom_id: data.customId, component_type: componentTypes[data.componentType] }
  return 'values' in data ? { ...common, values: data.values, ...toResolvedMember(data.resolved) } : common
}

function toModalData({ customId, components }: ModalSubmitInteraction['data']): DiscordInteractionData {
  return {
    custom_id: customId,
    components: components.map(field => ({
      type: rowType,
      components: [{ type: textInputType, custom_id: field.customId, value: field.value }],
    })),
  }
}

function toResolvedMember(resolved: ResolvedEntities | undefined): { resolved?: Resolved } {
  if (resolved === undefined) return {}
  const { users, members, roles, channels } = resolved
  return {
    resolved: {
      ...(users && { users: mapValues(users, toDiscordUser) }),
      ...(members && { members: mapValues(members, toResolved) }),
      ...(roles && { roles: mapValues(roles, toDiscordRole) }),
      ...(channels && { channels: mapValues(channels, toResolvedChannel) }),
    },
  }
}

function toResolved({ permissions, ...member }: ResolvedMember): APIInteractionDataResolvedGuildMember {
  return { ...toDiscordMemberWithoutUser(member), permissions: toDiscordPermissions(permissions) }
}

function toResolvedChannel({ type, permissions, ...channel }: ResolvedChannel) {
  return { ...channel, type: channelTypes[type], permissions: toDiscordPermissions(permissions) }
}

function mapValues<From, To>(from: Record<string, From>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, map(value)]))
}
