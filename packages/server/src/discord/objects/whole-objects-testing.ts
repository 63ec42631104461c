import assert from 'node:assert/strict'

const user =
  'accent_color avatar avatar_decoration avatar_decoration_data banner bot collectibles discriminator flags ' +
  'global_name id primary_guild public_flags system username'
const memberValues =
  'avatar avatar_decoration_data banner collectibles communication_disabled_until flags joined_at nick pending ' +
  'premium_since roles'
const plainMember = `${memberValues} deaf mute`
const guild =
  'afk_channel_id afk_timeout application_id banner default_message_notifications description discovery_splash ' +
  'emojis explicit_content_filter features hub_type icon icon_hash id incidents_data max_members max_presences ' +
  'max_stage_video_channel_users max_video_channel_users mfa_level name nsfw_level owner_id preferred_locale ' +
  'premium_progress_bar_enabled premium_subscription_count premium_tier public_updates_channel_id region ' +
  'roles:role rules_channel_id safety_alerts_channel_id splash stickers system_channel_flags system_channel_id ' +
  'vanity_url_code verification_level widget_channel_id widget_enabled'
const counts = 'approximate_member_count approximate_presence_count'
const guildChannel = 'flags guild_id id name nsfw parent_id position type'
const text =
  'default_auto_archive_duration default_thread_rate_limit_per_user last_message_id last_pin_timestamp ' +
  'rate_limit_per_user topic'
const message =
  'attachments author:user channel_id channel_type components:row content edited_timestamp embeds:embed flags id ' +
  'mention_channels mention_everyone mention_roles mentions:mention message_snapshots pinned reactions ' +
  'sticker_items stickers timestamp tts type'
const command =
  'application_id default_member_permissions default_permission description description_localizations id name ' +
  'name_localizations nsfw options:commandOption type version'
const interaction =
  'app_permissions application_id attachment_size_limit authorizing_integration_owners channel:interactionChannel ' +
  'channel_id context entitlements guild:interactionGuild guild_id guild_locale id locale ' +
  'member:interactionMember token type version'

/**
 * The members of each object, as discord-api-types has them. `?`: it may be absent. After the colon: the object, or
 * that of each entry of a list; `*` for each value of an object by id.
 */
const shapes: Readonly<Record<string, string>> = {
  user,
  ownUser: `${user} email locale mfa_enabled premium_type verified`,
  mention: `${user} member:plainMember?`,
  plainMember,
  member: `${plainMember} user:user`,
  memberEvent: `${plainMember} guild_id user:user`,
  role: 'color colors:colors flags hoist icon id managed mentionable name permissions position unicode_emoji',
  colors: 'primary_color secondary_color tertiary_color',
  roleEvent: 'guild_id role:role',
  guild,
  guildWithCounts: `${guild} ${counts}`,
  listedGuild: 'banner features icon id name owner permissions',
  listedGuildWithCounts: `banner features icon id name owner permissions ${counts}`,
  guildCreate:
    `${guild} channels:channel guild_scheduled_events joined_at large member_count members:member presences ` +
    'soundboard_sounds stage_instances threads unavailable? voice_states',
  channel: `${guildChannel} permission_overwrites:overwrite ${text}`,
  category: `${guildChannel} permission_overwrites:overwrite`,
  directChannel: 'flags id last_message_id last_pin_timestamp rate_limit_per_user recipients:user type',
  overwrite: 'allow deny id type',
  message: `${message} guild_id`,
  messageEvent: `${message} guild_id member:plainMember`,
  directMessage: message,
  response:
    `${message} application_id guild_id interaction:usedInteraction interaction_metadata:metadata? ` +
    'member:plainMember? webhook_id',
  usedInteraction: 'id name type user:user',
  metadata: 'authorizing_integration_owners id type user:user',
  embed:
    'author:embedAuthor? color? description? fields:field flags footer:embedFooter? image:embedImage? ' +
    'thumbnail:embedImage? timestamp? title? type url?',
  embedAuthor: 'icon_url? name proxy_icon_url? url?',
  embedFooter: 'icon_url? proxy_icon_url? text',
  embedImage: 'flags height proxy_url url width',
  field: 'inline name value',
  row: 'components:component id type',
  component:
    'custom_id? default_values? disabled emoji:emoji? id label? max_values? min_values? options:selectOption? ' +
    'placeholder? style? type url?',
  emoji: 'animated name',
  selectOption: 'default description? label value',
  invite: 'channel:inviteChannel code expires_at flags guild:inviteGuild roles type',
  invitePreview: `channel:inviteChannel code expires_at flags guild:inviteGuild roles type ${counts}`,
  inviteWithUses:
    'channel:inviteChannel code created_at expires_at flags guild:inviteGuild inviter:user max_age max_uses roles ' +
    'temporary type uses',
  inviteEvent:
    'channel_id code created_at expires_at guild_id inviter:user max_age max_uses role_ids temporary uses',
  inviteChannel: 'id name type',
  inviteGuild:
    'banner description features icon id name nsfw_level premium_subscription_count splash vanity_url_code ' +
    'verification_level',
  webhook: 'application_id avatar channel_id guild_id id name token? type url? user:user',
  integration: 'account application:integrationApplication enabled id name scopes type user:user',
  integrationApplication: 'bot:user description icon id name',
  ban: 'reason user:user',
  userInGuild: 'guild_id user:user',
  application:
    'approximate_guild_count approximate_user_authorization_count approximate_user_install_count bot:user ' +
    'bot_public bot_require_code_grant description event_webhooks_status event_webhooks_types event_webhooks_url ' +
    'flags flags_new hook icon id integration_types_config interactions_endpoint_url name owner:user redirect_uris ' +
    'role_connections_verification_url rpc_origins summary team verify_key',
  command: `${command} contexts dm_permission integration_types`,
  guildCommand: `${command} guild_id`,
  commandOption:
    'autocomplete? choices:choice? description description_localizations max_length? max_value? min_length? ' +
    'min_value? name name_localizations options:commandOption? required? type',
  choice: 'name name_localizations value',
  commandPermissions: 'application_id guild_id id permissions:commandPermission',
  commandPermission: 'id permission type',
  auditLog:
    'application_commands audit_log_entries:auditLogEntry auto_moderation_rules guild_scheduled_events ' +
    'integrations threads users:user webhooks',
  auditLogEntry: 'action_type changes:change id options? reason? target_id user_id',
  auditLogEvent: 'action_type changes:change guild_id id options? reason? target_id user_id',
  change: 'key new_value? old_value?',
  gateway: 'url',
  gatewayOfBot: 'session_start_limit:startLimit shards url',
  startLimit: 'max_concurrency remaining reset_after total',
  ready:
    '_trace application:readyApplication guilds:unavailableGuild private_channels resume_gateway_url session_id ' +
    'shard user:ownUser v',
  readyApplication: 'flags flags_new id',
  unavailableGuild: 'id unavailable',
  removedGuild: 'id',
  membersChunk: 'chunk_count chunk_index guild_id members:member nonce? not_found presences',
  removedRole: 'guild_id role_id',
  removedMessage: 'channel_id guild_id id',
  removedMessages: 'channel_id guild_id ids',
  removedInvite: 'channel_id code guild_id',
  changedWebhooks: 'channel_id guild_id',
  commandUse: `${interaction} data:commandData`,
  menuCommand: `${interaction} data:menuData`,
  componentUse: `${interaction} data:componentData message:response`,
  modalSubmission: `${interaction} data:modalData message:response?`,
  interactionChannel: `${guildChannel} ${text} permissions`,
  interactionGuild: 'features id locale',
  interactionMember: `${plainMember} permissions user:user`,
  commandData: 'guild_id? id name options:dataOption resolved:resolved? type',
  dataOption: 'focused? name options:dataOption? type value?',
  menuData: 'id name resolved:resolved target_id type',
  componentData: 'component_type custom_id resolved:resolved? values?',
  modalData: 'components:modalRow custom_id',
  modalRow: 'components:modalField id type',
  modalField: 'custom_id id type value',
  resolved:
    'channels:*resolvedChannel? members:*resolvedMember? messages:*messageEvent? roles:*role? users:*user?',
  resolvedChannel: 'id name permissions type',
  resolvedMember: `${memberValues} permissions`,
  callback: 'interaction:callbackInteraction resource:callbackResource',
  callbackInteraction: 'id response_message_ephemeral response_message_id? response_message_loading type',
  callbackResource: 'message:response? type',
}

/** Checks that the object, or each of the list, has the members of its shape and no other, and the objects in it. */
export function assertWhole(shape: string, value: unknown, path = shape): void {
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) assertWhole(shape, entry, `${path}[${index}]`)
    return
  }
  if (shape.startsWith('*')) {
    assertWhole(shape.slice(1), Object.values(value as object), path)
    return
  }
  const object = value as Readonly<Record<string, unknown>>
  const members = (shapes[shape] ?? assert.fail(`no shape ${shape}`)).split(' ').map(member => {
    const [name = '', inner] = member.replace('?', '').split(':')
    return { name, inner, isOptional: member.endsWith('?') }
  })
  const expected = members.filter(({ name, isOptional }) => !isOptional || object[name] !== undefined)
  assert.deepEqual(Object.keys(object).sort(), expected.map(({ name }) => name).sort(), path)
  for (const { name, inner } of expected) {
    if (inner !== undefined) assertWhole(inner, object[name], `${path}.${name}`)
  }
}
