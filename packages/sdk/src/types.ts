/**
 * The types of the API and the gateway that a bot uses. They are not imported from the protocol package, so that the
 * published types need no other package. `types.test.ts` checks that both are compatible.
 */

export interface User {
  id: string
  username: string
  displayName: string
  /** Path of the image on the service. */
  avatar: string
}

/** An embed of a message. The property names are Discord's. */
export interface Embed {
  /** Up to 256 characters. */
  title?: string
  /** Up to 4096 characters. */
  description?: string
  url?: string
  /** ISO 8601. */
  timestamp?: string
  /** 0xRRGGBB. */
  color?: number
  footer?: { text: string; icon_url?: string }
  image?: { url: string }
  thumbnail?: { url: string }
  author?: { name: string; url?: string; icon_url?: string }
  /** Up to 25. */
  fields?: EmbedField[]
}

export interface EmbedField {
  name: string
  value: string
  inline?: boolean
}

interface BaseButton {
  type: 'button'
  /** Up to 80 characters. A button needs a label, an emoji or both. */
  label?: string
  emoji?: string
  disabled?: boolean
}

/** A button that sends an interaction to the bot. */
export interface ActionButton extends BaseButton {
  style: 'primary' | 'secondary' | 'success' | 'danger'
  /** Up to 100 characters, unique in the message. */
  customId: string
}

/** A button that opens a URL. */
export interface LinkButton extends BaseButton {
  style: 'link'
  url: string
}

export type Button = ActionButton | LinkButton

/** An option of a select menu. */
export interface SelectOption {
  /** Up to 100 characters. */
  label: string
  /** Up to 100 characters, unique in the menu. */
  value: string
  /** Up to 100 characters. */
  description?: string
  /** Whether it is selected at first. */
  default?: boolean
}

interface BaseSelect {
  /** Up to 100 characters, unique in the message. */
  customId: string
  /** Up to 150 characters. */
  placeholder?: string
  /** 0 to 25. Default: 1. */
  minValues?: number
  /** 1 to 25. Default: 1. */
  maxValues?: number
  disabled?: boolean
}

/** A select menu with 1 to 25 options. */
export interface StringSelect extends BaseSelect {
  type: 'string_select'
  options: SelectOption[]
}

/** A select menu with the users, roles or channels of the server. */
export interface EntitySelect extends BaseSelect {
  type: 'user_select' | 'role_select' | 'channel_select'
}

export type Select = StringSelect | EntitySelect

export type Component = Button | Select

/** 1 to 5 buttons, or one select menu; a message has up to 5 rows. */
export interface Row {
  type: 'row'
  components: Component[]
}

/** A field of a modal. `Id` is its `customId`. */
export interface TextInput<Id extends string = string> {
  type: 'text_input'
  /** Up to 100 characters, unique in the modal. */
  customId: Id
  /** One line, or several. */
  style: 'short' | 'paragraph'
  /** Up to 45 characters. */
  label: string
  /** Up to 100 characters. */
  placeholder?: string
  /** 0 to 4000, for a text that is not empty. */
  minLength?: number
  /** 1 to 4000. Default: 4000. */
  maxLength?: number
  /** Default: true. */
  required?: boolean
  /** The text that the field contains at first. */
  value?: string
}

/** A dialog with 1 to 5 fields, each in its row. `Id` is its `customId` or the pattern of it, `Field` those of its fields. */
export interface Modal<Id extends string = string, Field extends string = string> {
  /** Up to 100 characters. */
  customId: Id
  /** Up to 45 characters. */
  title: string
  components: { type: 'row'; components: TextInput<Field>[] }[]
}

/** The mentions in the text that notify. Default: users only. */
export interface AllowedMentions {
  parse?: ('users' | 'roles' | 'everyone')[]
  users?: string[]
  roles?: string[]
}

export interface Message {
  id: string
  channelId: string
  /** Null in a direct message. */
  serverId: string | null
  author: {
    id: string
    username: string
    displayName: string
    avatar: string | null
    bot: boolean
    webhookId?: string
  }
  content: string
  embeds: Embed[]
  components: Row[]
  mentions: { users: string[]; roles: string[]; everyone: boolean }
  createdAt: string
  editedAt: string | null
  state: 'sent' | 'deferred' | 'expired'
  interaction?: {
    id: string
    type: 'command' | 'component' | 'modal_submit'
    name: string
    /** Absent for a slash command. */
    commandType?: MenuCommandType
    user: User
  }
  ephemeral?: true
}

export type OptionType = 'string' | 'integer' | 'number' | 'boolean' | 'user' | 'channel' | 'role'
export type OptionValue = string | number | boolean

/** Texts in other languages, by language tag: `ru`, `pt-BR`. */
export type Localizations = Readonly<Record<string, string>>

export interface Choice {
  name: string
  nameLocalizations?: Localizations
  value: string | number
}

/** A command in the menu of a user or a message. */
export type MenuCommandType = 'user' | 'message'

/** A command as the service stores it. */
export interface RegisteredCommand {
  id: string
  applicationId: string
  /** Only present if the command is registered for one server. */
  serverId?: string
  type: 'slash' | MenuCommandType
  name: string
  nameLocalizations?: Localizations
  /** Empty for a command in a menu. */
  description: string
  descriptionLocalizations?: Localizations
  options: readonly (RegisteredOption | RegisteredSubcommand | RegisteredSubcommandGroup)[]
  /** A decimal bit field of permissions; null: none. */
  defaultMemberPermissions: string | null
  createdAt: string
  updatedAt: string
}

interface RegisteredNamed {
  readonly name: string
  readonly nameLocalizations?: Localizations
  readonly description: string
  readonly descriptionLocalizations?: Localizations
}

export interface RegisteredOption extends RegisteredNamed {
  readonly type: OptionType
  readonly required?: boolean
  readonly choices?: readonly Readonly<Choice>[]
  readonly autocomplete?: boolean
  readonly min?: number
  readonly max?: number
  readonly minLength?: number
  readonly maxLength?: number
}

export interface RegisteredSubcommand extends RegisteredNamed {
  readonly type: 'subcommand'
  readonly options: readonly RegisteredOption[]
}

export interface RegisteredSubcommandGroup extends RegisteredNamed {
  readonly type: 'subcommand_group'
  readonly options: readonly RegisteredSubcommand[]
}

interface Interaction {
  version: 1
  id: string
  /** Part of the URLs of the responses. It is a secret. */
  token: string
  applicationId: string
  channelId: string
  user: User
  createdAt: string
  /** Deadline of the first response. */
  deadlineAt: string
  /** Expiry of the token. */
  expiresAt: string
}

/** An option that the user entered; for a user, channel or role the value is the id. */
export interface InteractionOption {
  name: string
  type: OptionType
  value: OptionValue
  /** Only while a user types in this option. */
  focused?: true
}

export interface InteractionSubcommand {
  name: string
  type: 'subcommand'
  options: InteractionOption[]
}

export interface InteractionSubcommandGroup {
  name: string
  type: 'subcommand_group'
  options: InteractionSubcommand[]
}

/** A user ran a slash command. */
export interface CommandInteraction extends Interaction {
  type: 'command'
  serverId: string
  data: {
    id: string
    name: string
    options: (InteractionOption | InteractionSubcommand | InteractionSubcommandGroup)[]
  }
}

/** A user types in an option with `autocomplete`. That option has `focused`, and its value is the text so far. */
export interface AutocompleteInteraction extends Interaction {
  type: 'autocomplete'
  serverId: string
  data: CommandInteraction['data']
}

interface MenuCommandInteraction<Type extends MenuCommandType, Resolved> extends Interaction {
  type: 'command'
  serverId: string
  data: { id: string; name: string; type: Type; options: []; targetId: string; resolved: Resolved }
}

/** A user chose a command in the menu of a user. */
export type UserCommandInteraction = MenuCommandInteraction<'user', { user: User }>

/** A user chose a command in the menu of a message. */
export type MessageCommandInteraction = MenuCommandInteraction<'message', { message: Message }>

interface ComponentInteraction extends Interaction {
  type: 'component'
  /** Null in a direct message. */
  serverId: string | null
  message: { id: string; content: string; components: Row[] }
}

export interface ButtonInteraction extends ComponentInteraction {
  data: { customId: string; componentType: 'button' }
}

export interface SelectInteraction extends ComponentInteraction {
  data: {
    customId: string
    componentType: Select['type']
    /** The values of the options, or the ids of the users, roles or channels. */
    values: string[]
    /** What the ids in `values` refer to; only for a menu with users, roles or channels. */
    resolved?: ResolvedEntities
  }
}

/** Users, roles and channels by their ids. */
export interface ResolvedEntities {
  users?: Readonly<Record<string, User>>
  roles?: Readonly<Record<string, NamedEntity>>
  channels?: Readonly<Record<string, NamedEntity>>
}

/** A role or a channel. */
export interface NamedEntity {
  id: string
  name: string
}

export interface ModalInteraction extends Interaction {
  type: 'modal_submit'
  /** Null in a direct message. */
  serverId: string | null
  /** The message with the component that opened the modal, unless it was deleted. */
  message?: { id: string; content: string; components: Row[] }
  data: { customId: string; components: { type: 'text_input'; customId: string; value: string }[] }
}

/** `d` of INTERACTION_CREATE, and the body of a request to an interactions endpoint. */
export type InteractionEvent =
  | CommandInteraction
  | UserCommandInteraction
  | MessageCommandInteraction
  | ButtonInteraction
  | SelectInteraction
  | ModalInteraction
  | AutocompleteInteraction

/** `data` of a callback, and the body of a follow-up or an edit. */
export interface ResponseData {
  content?: string | null
  embeds?: readonly Embed[] | null
  components?: readonly Row[] | null
  allowedMentions?: AllowedMentions
  ephemeral?: boolean
}

/** The first response. */
export type CallbackBody =
  | { type: 'message' | 'defer' | 'update' | 'deferred_update'; data?: ResponseData }
  | { type: 'modal'; data: Modal }
  | { type: 'autocomplete'; data: { choices: readonly Choice[] } }

/** What a bot receives besides interactions. `members` and `messageContent` are switched on in the developer console. */
export type Intent = 'servers' | 'members' | 'messages' | 'messageContent' | 'directMessages' | 'moderation'

/** Shard `id` of `count`: the servers with `(serverId >> 22) % count === id`. */
export type Shard = readonly [id: number, count: number]

export interface Ready {
  sessionId: string
  resumeUrl: string
  user: { id: string; username: string; displayName: string; avatar: string; bot: boolean }
  application?: { id: string }
  servers: { id: string; name: string }[]
  /** Only with `shard`. */
  shard?: number[]
}

export interface Server {
  id: string
  name: string
  icon: string | null
  ownerId: string
}

export interface Channel {
  id: string
  /** Null for a direct message. */
  serverId: string | null
  type: 'text' | 'dm'
  /** Null for a direct message. */
  name: string | null
  topic: string | null
  position: number
  permissionOverwrites: Overwrite[]
  /** The other user; only in a direct message. */
  recipient?: User & { bot: boolean }
}

/** The permissions that a channel allows or denies to a role or member, as decimal bit fields. */
export interface Overwrite {
  id: string
  type: 'role' | 'member'
  allow: string
  deny: string
}

export interface Role {
  /** Of @everyone it is the id of the server. */
  id: string
  serverId: string
  name: string
  /** A decimal bit field. */
  permissions: string
  /** 0xRRGGBB; 0 for none. */
  color: number
  position: number
  /** Whether it is the role of a bot. */
  managed: boolean
}

/** A member of a server, in the events of members. */
export interface Member {
  serverId: string
  user: User & { bot: boolean }
  nick: string | null
  /** The ids of the roles, without @everyone. */
  roles: string[]
  joinedAt: string
  /** When the time-out of the member ends; null if there is none. */
  timedOutUntil: string | null
}
