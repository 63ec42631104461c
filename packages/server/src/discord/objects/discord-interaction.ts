import type { Channel } from '@gatehouse/protocol/channels'
import type { OptionType, subcommandTypes } from '@gatehouse/protocol/commands'
import type { TranslatedMembers } from '@gatehouse/protocol/component-members'
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
import type { Modal } from '@gatehouse/protocol/modals'
import type { Member } from '@gatehouse/protocol/servers'
import type {
  APIBaseInteraction,
  APIChatInputApplicationCommandInteractionData,
  APIInteractionDataResolved,
  APIInteractionDataResolvedChannel,
  APIInteractionDataResolvedGuildMember,
  APIMessageApplicationCommandInteractionData,
  APIMessageButtonInteractionData,
  APIMessageStringSelectInteractionData,
  APIModalSubmission,
  APIModalSubmitTextInputComponent,
  APIUserApplicationCommandInteractionData,
  InteractionType,
  ModalSubmitActionRowComponent,
  ModalSubmitLabelComponent,
} from 'discord-api-types/v10'
import { channelTypes, type DiscordChannel, toDiscordChannel } from './discord-channel.ts'
import { componentTypes, createNumbering, labelType, rowType, textInputType } from './discord-components.ts'
import { type DiscordMember, toDiscordMember, toDiscordMemberWithoutUser } from './discord-member.ts'
import { toDiscordPermissions } from './discord-permissions.ts'
import { type DiscordRole, toDiscordRole } from './discord-role.ts'
import { type DiscordUser, toDiscordUser } from './discord-user.ts'
import { type DiscordMessage, interactionTypes } from './message-format.ts'
import { type IntegrationOwners, type OptionalMembers, toIntegrationOwners, type Whole } from './whole.ts'

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
  /** The modal that was submitted. */
  modal: Modal | undefined
}

type ById<Value> = Record<string, Value>

interface ResolvedMembers {
  users?: ById<DiscordUser>
  members?: ById<Whole<APIInteractionDataResolvedGuildMember>>
  roles?: ById<DiscordRole>
  channels?: ById<Whole<APIInteractionDataResolvedChannel, OptionalMembers['resolvedChannel']>>
}
type Resolved = Whole<APIInteractionDataResolved, OptionalMembers['resolved'], ResolvedMembers>

type CommandData =
  | Whole<
      APIChatInputApplicationCommandInteractionData,
      OptionalMembers['commandData'],
      { options: DiscordOption[]; resolved?: Resolved }
    >
  | Whole<APIUserApplicationCommandInteractionData, OptionalMembers['menuData'], { resolved: Resolved }>
  | Whole<
      APIMessageApplicationCommandInteractionData,
      OptionalMembers['menuData'],
      { resolved: { messages?: ById<DiscordMessage> } }
    >

type ComponentData =
  | Whole<APIMessageButtonInteractionData, never, { component_type: number }>
  | Whole<APIMessageStringSelectInteractionData, never, { component_type: number; resolved?: Resolved }>

type SubmittedField = Whole<APIModalSubmitTextInputComponent>
type ModalData = Whole<
  APIModalSubmission,
  OptionalMembers['modalData'],
  {
    components: (
      | Whole<ModalSubmitActionRowComponent>
      | Whole<ModalSubmitLabelComponent, never, { component: SubmittedField }>
    )[]
    resolved?: Resolved
  }
>

type DiscordOption =
  | { name: string; type: number; options: DiscordOption[] }
  | { name: string; type: number; value: string | number | boolean; focused?: true }

type WithPermissions<Channel> = Omit<Channel, 'permission_overwrites'> & { permissions: string }

export type DiscordInteraction = Whole<
  APIBaseInteraction<InteractionType, unknown>,
  OptionalMembers['interaction'],
  {
    data: CommandData | ComponentData | ModalData
    channel: WithPermissions<DiscordChannel>
    user?: DiscordUser
    member?: DiscordMember & { permissions: string }
    message?: DiscordMessage
    authorizing_integration_owners: IntegrationOwners
  }
>

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
      : { member: { ...toDiscordMember(member), permissions } }),
    ...(shown === undefined ? {} : { message: shown }),
    data: toDiscordData(event, extras),
    app_permissions: toDiscordPermissions(extras.appPermissions),
    locale,
    entitlements: [],
    authorizing_integration_owners: toIntegrationOwners(serverId),
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

function toDiscordData(event: InteractionCreate, extras: InteractionExtras): DiscordInteraction['data'] {
  switch (event.type) {
    case 'command':
    case 'autocomplete':
      return toCommandData(event.data, extras)
    case 'component':
      return toComponentData(event.data)
    case 'modal_submit':
      return toModalData(event.data, extras.modal)
  }
}

function toCommandData(
  data: CommandInteraction['data'] | AutocompleteInteraction['data'],
  { message, commandServerId }: InteractionExtras,
): CommandData {
  const { id, name } = data
  // discord.py finds the handler of a command of one server by it.
  const common = { id, name, ...(commandServerId === null ? {} : { guild_id: commandServerId }) }
  if (!('type' in data)) {
    const options = data.options.map(toDiscordOption)
    return { ...common, type: commandTypeNumbers.slash, options, ...toResolvedMember(data.resolved) }
  }
  if (data.type === 'message') {
    const resolved = message === undefined ? {} : { messages: { [message.id]: message } }
    return { ...common, type: commandTypeNumbers.message, target_id: data.targetId, resolved }
  }
  const { user, member } = data.resolved
  const resolved = toResolved({ users: { [user.id]: user }, members: { [user.id]: member } })
  return { ...common, type: commandTypeNumbers.user, target_id: data.targetId, resolved }
}

function toDiscordOption(option: EventOption): DiscordOption {
  const { name } = option
  const type = optionTypeNumbers[option.type]
  if ('options' in option) return { name, type, options: option.options.map(toDiscordOption) }
  return { name, type, value: option.value, ...(option.focused && { focused: true }) }
}

function toComponentData(data: ComponentInteraction['data']): ComponentData {
  const common = { custom_id: data.customId, component_type: componentTypes[data.componentType] }
  return 'values' in data ? { ...common, values: data.values, ...toResolvedMember(data.resolved) } : common
}

/** Each field has the form in which the bot sent it: a row or a label (discord/modals). */
function toModalData(
  { customId, components }: ModalSubmitInteraction['data'],
  modal: Modal | undefined,
): ModalData {
  const rows: readonly (Modal['components'][number] & TranslatedMembers)[] = modal?.components ?? []
  const toId = createNumbering(rows)
  return {
    custom_id: customId,
    components: components.map(({ customId, value }, index) => {
      const { [index]: row } = rows
      const id = toId(row)
      const field: SubmittedField = {
        ...{ type: textInputType, id: toId(row?.components[0]) },
        ...{ custom_id: customId, value },
      }
      return row?.isLabel
        ? { type: labelType, id, component: field }
        : { type: rowType, id, components: [field] }
    }),
  }
}

function toResolvedMember(resolved: ResolvedEntities | undefined): { resolved?: Resolved } {
  return resolved === undefined ? {} : { resolved: toResolved(resolved) }
}

function toResolved({ users, members, roles, channels }: ResolvedEntities): Resolved {
  return {
    ...(users && { users: mapValues(users, toDiscordUser) }),
    ...(members && { members: mapValues(members, toDiscordResolvedMember) }),
    ...(roles && { roles: mapValues(roles, toDiscordRole) }),
    ...(channels && { channels: mapValues(channels, toResolvedChannel) }),
  }
}

function toDiscordResolvedMember({ permissions, ...member }: ResolvedMember) {
  const { deaf: _, mute: __, ...resolved } = toDiscordMemberWithoutUser(member)
  return { ...resolved, permissions: toDiscordPermissions(permissions) }
}

function toResolvedChannel({ type, permissions, ...channel }: ResolvedChannel) {
  return { ...channel, type: channelTypes[type], permissions: toDiscordPermissions(permissions) }
}

function mapValues<From, To>(from: Record<string, From>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, map(value)]))
}
