import type { APIAuditLogOptions, APIAuthorizingIntegrationOwnersMap } from 'discord-api-types/v10'

/**
 * An object with every member of its type in Discord's API (discord/whole-objects). A member that has nothing here is
 * null where the type allows null, else zero, empty or the documented default. Only `Optional` may be absent, which are
 * in `OptionalMembers`. `Own` replaces members whose objects have such members, and adds `AdditionalMembers`. A string
 * enum is the texts that JSON has.
 */
export type Whole<T, Optional extends keyof T = never, Own = unknown> = {
  [Key in Exclude<keyof T, Optional | keyof Own>]-?: WholeValue<Exclude<T[Key], undefined>>
} & { [Key in Exclude<Optional, keyof Own>]?: WholeValue<Exclude<T[Key], undefined>> } & Own

type WholeValue<Value> = Value extends string
  ? `${Value}`
  : Value extends readonly unknown[]
    ? { [Index in keyof Value]: WholeValue<Value[Index]> }
    : Value extends object
      ? Whole<Value>
      : Value

/** The members that an object may lack, by object, because a client reads something from their presence. */
export interface OptionalMembers {
  /** Only the bot's own user has them: with them, a client believes that it is signed in as this user. */
  user: 'email' | 'locale' | 'mfa_enabled' | 'premium_type' | 'verified'
  /**
   * Counts if they are asked for; `owner` and `permissions` in the list of the bot's guilds; `welcome_screen` in the
   * invite of a guild that has one.
   */
  guild:
    | 'approximate_member_count'
    | 'approximate_presence_count'
    | 'owner'
    | 'permissions'
    | 'welcome_screen'
  /** Counts if they are asked for. */
  listedGuild: 'approximate_member_count' | 'approximate_presence_count'
  /** False for a guild of READY, absent for one that the bot has joined. */
  guildCreate: OptionalMembers['guild'] | 'unavailable'
  /** Of a guild that does not respond. Absent: the bot has left. */
  guildDelete: 'unavailable'
  /** A name is that of a group. */
  directChannel: 'name'
  /** Of the role of a bot, an integration or boosters, of which clients ask which one it is. */
  role: 'tags'
  /** Only if the request had one. */
  membersChunk: 'nonce'
  /**
   * Each says what the message is or where it was sent: by a webhook or application, in a guild, in a thread, as a
   * reply, a forward, a poll, a call, with the nonce of the sender.
   */
  message:
    | 'activity'
    | 'application'
    | 'application_id'
    | 'call'
    | 'guild_id'
    | 'interaction'
    | 'interaction_metadata'
    | 'member'
    | 'message_reference'
    | 'nonce'
    | 'poll'
    | 'position'
    | 'referenced_message'
    | 'resolved'
    | 'role_subscription_data'
    | 'shared_client_theme'
    | 'thread'
    | 'webhook_id'
  /** Of a message in a direct message. */
  deletedMessage: 'guild_id'
  /** The user is no member, or the message is no event. */
  mentionedUser: OptionalMembers['user'] | 'member'
  /** `member` is that of an event; the others tell a follow-up and a command in a menu. */
  messageInteraction: 'member'
  interactionMetadata: 'original_response_message_id' | 'target_message_id' | 'target_user'
  /** An embed shows what is present. */
  embed:
    | 'author'
    | 'color'
    | 'description'
    | 'footer'
    | 'image'
    | 'provider'
    | 'thumbnail'
    | 'timestamp'
    | 'title'
    | 'url'
    | 'video'
  embedAuthor: 'icon_url' | 'proxy_icon_url' | 'url'
  embedFooter: 'icon_url' | 'proxy_icon_url'
  /** Known of a picture that was fetched; here only readers fetch it. `proxy_url` is new in messages of 0.3.0. */
  embedImage: 'content_type' | 'description' | 'placeholder' | 'placeholder_version' | 'proxy_url'
  /** A component shows what is present; an emoji with an id is a picture of a guild. */
  button: 'emoji' | 'label'
  emoji: 'id'
  selectOption: 'description' | 'emoji'
  /** Also: an empty list of types is none, and only a menu of a modal is required. */
  select: 'placeholder' | 'required'
  channelSelect: OptionalMembers['select'] | 'channel_types'
  /** Who invites, to what; counts if they are asked for. */
  invite:
    | 'approximate_member_count'
    | 'approximate_presence_count'
    | 'guild_scheduled_event'
    | 'inviter'
    | 'stage_instance'
    | 'target_application'
    | 'target_type'
    | 'target_user'
  /** Of an invite to an activity or a stream. */
  inviteEvent: 'target_application' | 'target_type' | 'target_user'
  /** Of the subscribers of a channel on another platform; the scopes and the application are always present. */
  integration:
    | 'enable_emoticons'
    | 'expire_behavior'
    | 'expire_grace_period'
    | 'revoked'
    | 'role_id'
    | 'subscriber_count'
    | 'synced_at'
    | 'syncing'
  /** The token only for the creator; the sources are those of a followed channel. */
  webhook: 'source_channel' | 'source_guild' | 'token' | 'url'
  /** URLs and texts that the owner entered, and what Discord's shop has. */
  application:
    | 'cover_image'
    | 'custom_install_url'
    | 'guild'
    | 'guild_id'
    | 'install_params'
    | 'primary_sku_id'
    | 'privacy_policy_url'
    | 'slug'
    | 'tags'
    | 'terms_of_service_url'
  /**
   * `guild_id` of a command of one guild, and where a global command is used; the localized texts if they are asked
   * for; the handler of an entry point.
   */
  command:
    | 'contexts'
    | 'description_localized'
    | 'dm_permission'
    | 'guild_id'
    | 'handler'
    | 'integration_types'
    | 'name_localized'
  /** As the bot registered them: libraries compare them with the definition of the bot. */
  commandOption:
    | 'autocomplete'
    | 'channel_types'
    | 'choices'
    | 'max_length'
    | 'max_value'
    | 'min_length'
    | 'min_value'
    | 'options'
    | 'required'
  /** They tell an interaction in a guild from one in a direct message, and one with a message from one without. */
  interaction: 'guild' | 'guild_id' | 'guild_locale' | 'member' | 'message' | 'user'
  /** Of a command of one guild; what ids in the options refer to. */
  commandData: 'guild_id' | 'resolved'
  menuData: 'guild_id'
  modalData: 'resolved'
  /** The kinds that were chosen. */
  resolved: 'attachments' | 'channels' | 'members' | 'roles' | 'users'
  /** Those of the bot, which the user's choice does not tell. */
  resolvedChannel: 'app_permissions'
  /** Of an application that users install for themselves. */
  integrationTypes: 1
  /** What the response created. */
  callback: 'activity_instance_id' | 'response_message_id'
  callbackResource: 'activity_instance' | 'message'
  /** Texts that an entry has or not, and the details of its action. */
  auditLogEntry: 'options' | 'reason'
  auditLogOptions: keyof APIAuditLogOptions
}

/** The members that clients read and the types do not have. */
export interface AdditionalMembers {
  /** JDA and Eris fail without the first. */
  ready: { private_channels: []; _trace: [] }
  /** discord.py requires it. */
  application: { hook: true }
}

export type IntegrationOwners = Whole<APIAuthorizingIntegrationOwnersMap, OptionalMembers['integrationTypes']>

/** A bot is installed to servers. The owner `0` means a direct message with it. */
export function toIntegrationOwners(serverId: string | null): IntegrationOwners {
  return { 0: serverId ?? '0' }
}
