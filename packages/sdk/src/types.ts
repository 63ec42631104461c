/**
 * What goes over the wire between a bot and the service, as far as a bot sees it. Written here and not imported, so that
 * the published types need no other package; `types.test.ts` holds them to the protocol's.
 */

export interface User {
  id: string
  username: string
  displayName: string
  /** Path of the picture on the service. */
  avatar: string
}

/** A card under a message. Its keys are those of the compatible platform. */
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

interface ButtonFace {
  type: 'button'
  /** Up to 80 characters. A button needs a label, an emoji or both. */
  label?: string
  emoji?: string
  disabled?: boolean
}

/** A button that comes back to the bot when it is pressed. */
export interface ActionButton extends ButtonFace {
  style: 'primary' | 'secondary' | 'success' | 'danger'
  /** Up to 100 characters, unique in the message. */
  customId: string
}

/** A button that opens an address. */
export interface LinkButton extends ButtonFace {
  style: 'link'
  url: string
}

export type Button = ActionButton | LinkButton

/** 1 to 5 buttons; a message has up to 5 rows. */
export interface Row {
  type: 'row'
  components: Button[]
}

/** Whom a message may notify of those whom its text mentions; left out, users only. */
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
  interaction?: { id: string; type: 'command' | 'component'; name: string; user: User }
  ephemeral?: true
}

export type OptionType = 'string' | 'integer' | 'number' | 'boolean' | 'user' | 'channel' | 'role'
export type OptionValue = string | number | boolean

export interface Choice {
  name: string
  value: string | number
}

/** A command as the service keeps it. */
export interface RegisteredCommand {
  id: string
  applicationId: string
  /** Of a command that is registered for one server only. */
  serverId?: string
  name: string
  description: string
  options: readonly RegisteredOption[]
  createdAt: string
  updatedAt: string
}

export interface RegisteredOption {
  readonly type: OptionType
  readonly name: string
  readonly description: string
  readonly required?: boolean
  readonly choices?: readonly Readonly<Choice>[]
  readonly min?: number
  readonly max?: number
}

interface Interaction {
  version: 1
  id: string
  /** For the addresses of the responses. Keep it to yourself. */
  token: string
  applicationId: string
  channelId: string
  user: User
  createdAt: string
  /** When the first response must have arrived. */
  deadlineAt: string
  /** When the token ends. */
  expiresAt: string
}

export interface CommandInteraction extends Interaction {
  type: 'command'
  serverId: string
  data: { id: string; name: string; options: { name: string; type: OptionType; value: OptionValue }[] }
}

export interface ButtonInteraction extends Interaction {
  type: 'component'
  /** Null in a direct message. */
  serverId: string | null
  message: { id: string; content: string; components: Row[] }
  data: { customId: string; componentType: 'button' }
}

/** `d` of INTERACTION_CREATE, and the body of a signed delivery. */
export type InteractionEvent = CommandInteraction | ButtonInteraction

/** `data` of a callback, and the body of a follow-up or an edit. */
export interface ResponseData {
  content?: string | null
  embeds?: readonly Embed[] | null
  components?: readonly Row[] | null
  allowedMentions?: AllowedMentions
  ephemeral?: boolean
}

/** The first response. */
export interface CallbackBody {
  type: 'message' | 'defer' | 'update' | 'deferred_update'
  data?: ResponseData
}

export interface Ready {
  sessionId: string
  resumeUrl: string
  user: { id: string; username: string; displayName: string; avatar: string; bot: boolean }
  application?: { id: string }
  servers: { id: string; name: string }[]
}

export interface Server {
  id: string
  name: string
  icon: string | null
  ownerId: string
}

export interface Channel {
  id: string
  serverId: string | null
  type: 'text' | 'dm'
}
