import type { EventMap, GatewayEvent, Ready } from '@gatehouse/protocol/gateway'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import type { Message } from '@gatehouse/protocol/messages'
import type {
  GatewayGuildBanModifyDispatchData,
  GatewayGuildDeleteDispatchData,
  GatewayGuildMemberRemoveDispatchData,
  GatewayGuildRoleDeleteDispatchData,
  GatewayGuildRoleModifyDispatchData,
  GatewayInviteDeleteDispatchData,
  GatewayMessageDeleteBulkDispatchData,
  GatewayMessageDeleteDispatchData,
  GatewayReadyDispatchData,
  GatewayWebhooksUpdateDispatchData,
} from 'discord-api-types/v10'
import { findApplication } from '../../applications/index.ts'
import { listServerRoles } from '../../community/roles/index.ts'
import { withComponentIds } from '../../events/component-ids.ts'
import type { ChannelEvent, DispatchRequest, PublishedEvent } from '../../events/gateway-events.ts'
import { EncodedEvent } from '../../gateway/sessions/encoded-event.ts'
import type { TranslatedSession } from '../../gateway/wire-format.ts'
import { type DescribeDeps, describeInteraction } from '../describe-interaction.ts'
import { toApplicationFlags } from '../objects/discord-application.ts'
import { type DiscordAuditLogEntry, toDiscordAuditLogEntry } from '../objects/discord-audit-log.ts'
import { toDiscordChannel } from '../objects/discord-channel.ts'
import { toDiscordGuild } from '../objects/discord-guild.ts'
import type { DiscordInteraction } from '../objects/discord-interaction.ts'
import { type DiscordInviteEvent, toInviteEvent } from '../objects/discord-invite.ts'
import { type DiscordMember, toDiscordMember } from '../objects/discord-member.ts'
import { type DiscordRole, toDiscordRole } from '../objects/discord-role.ts'
import {
  type DiscordOwnUser,
  type DiscordUser,
  toDiscordOwnUser,
  toDiscordUser,
} from '../objects/discord-user.ts'
import { type DiscordMessage, readMessageReferences, toDiscordMessage } from '../objects/message-format.ts'
import type { AdditionalMembers, OptionalMembers, Whole } from '../objects/whole.ts'
import type { DiscordGuildCreate } from './guild-create.ts'
import type { MembersChunk } from './member-chunks.ts'

export interface EventDeps extends DescribeDeps {
  readServer: (session: TranslatedSession, serverId: string) => Promise<DiscordGuildCreate | undefined>
}

type DiscordReady = Whole<
  GatewayReadyDispatchData,
  never,
  AdditionalMembers['ready'] & { user: DiscordOwnUser }
>

/** An event of Discord's gateway. */
type DiscordEvent =
  | Event<'READY', DiscordReady>
  | Event<'GUILD_CREATE', DiscordGuildCreate>
  | Event<'GUILD_UPDATE', ReturnType<typeof toDiscordGuild>>
  | Event<'GUILD_DELETE', Whole<GatewayGuildDeleteDispatchData, OptionalMembers['guildDelete']>>
  | Event<'CHANNEL_CREATE' | 'CHANNEL_UPDATE' | 'CHANNEL_DELETE', ReturnType<typeof toDiscordChannel>>
  | Event<'GUILD_MEMBER_ADD' | 'GUILD_MEMBER_UPDATE', DiscordMember & { guild_id: string }>
  | Event<'GUILD_MEMBER_REMOVE', Whole<GatewayGuildMemberRemoveDispatchData, never, { user: DiscordUser }>>
  | Event<'GUILD_MEMBERS_CHUNK', MembersChunk>
  | Event<
      'GUILD_ROLE_CREATE' | 'GUILD_ROLE_UPDATE',
      Whole<GatewayGuildRoleModifyDispatchData, never, { role: DiscordRole }>
    >
  | Event<'GUILD_ROLE_DELETE', Whole<GatewayGuildRoleDeleteDispatchData>>
  | Event<
      'GUILD_BAN_ADD' | 'GUILD_BAN_REMOVE',
      Whole<GatewayGuildBanModifyDispatchData, never, { user: DiscordUser }>
    >
  | Event<'GUILD_AUDIT_LOG_ENTRY_CREATE', DiscordAuditLogEntry & { guild_id: string }>
  | Event<'MESSAGE_CREATE' | 'MESSAGE_UPDATE', DiscordMessage>
  | Event<'MESSAGE_DELETE', Whole<GatewayMessageDeleteDispatchData, OptionalMembers['deletedMessage']>>
  | Event<
      'MESSAGE_DELETE_BULK',
      Whole<GatewayMessageDeleteBulkDispatchData, OptionalMembers['deletedMessage']>
    >
  | Event<'INVITE_CREATE', DiscordInviteEvent>
  | Event<'INVITE_DELETE', Whole<GatewayInviteDeleteDispatchData>>
  | Event<'WEBHOOKS_UPDATE', Whole<GatewayWebhooksUpdateDispatchData>>
  | Event<'INTERACTION_CREATE', DiscordInteraction>

type Event<Name extends string, Payload> = { t: Name; d: Payload }

type MessageEvent = GatewayEvent<'MESSAGE_CREATE' | 'MESSAGE_UPDATE'> & Pick<PublishedEvent, 'componentIds'>

type Translated = DiscordEvent | undefined

/**
 * Translates one event (discord/gateway-events), of which only that of SERVER_ADD depends on the session. Undefined if
 * Discord's gateway has no such event.
 */
export function translateEvent(
  deps: EventDeps,
  session: TranslatedSession,
  event: PublishedEvent | DispatchRequest,
): Translated | Promise<Translated> {
  switch (event.t) {
    case 'SERVER_ADD':
      return readJoinedServer(deps, session, event.d.id)
    case 'SERVER_REMOVE':
      return { t: 'GUILD_DELETE', d: { id: event.d.id } }
    case 'SERVER_UPDATE':
      return readChangedServer(deps, event.d)
    case 'CHANNEL_CREATE':
    case 'CHANNEL_UPDATE':
    case 'CHANNEL_DELETE':
      return translateChannelEvent(event)
    case 'MEMBER_ADD':
      return { t: 'GUILD_MEMBER_ADD', d: toGuildMember(event.d) }
    case 'MEMBER_UPDATE':
      return { t: 'GUILD_MEMBER_UPDATE', d: toGuildMember(event.d) }
    case 'MEMBER_REMOVE':
      return { t: 'GUILD_MEMBER_REMOVE', d: ofUser(event.d) }
    case 'BAN_ADD':
      return { t: 'GUILD_BAN_ADD', d: ofUser(event.d) }
    case 'BAN_REMOVE':
      return { t: 'GUILD_BAN_REMOVE', d: ofUser(event.d) }
    case 'AUDIT_LOG_ENTRY_CREATE':
      return translateAuditLogEntry(event.d)
    case 'ROLE_CREATE':
      return { t: 'GUILD_ROLE_CREATE', d: { guild_id: event.d.serverId, role: toDiscordRole(event.d) } }
    case 'ROLE_UPDATE':
      return { t: 'GUILD_ROLE_UPDATE', d: { guild_id: event.d.serverId, role: toDiscordRole(event.d) } }
    case 'ROLE_DELETE':
      return { t: 'GUILD_ROLE_DELETE', d: { guild_id: event.d.serverId, role_id: event.d.id } }
    case 'MESSAGE_CREATE':
      return readMessage(deps, event)
    case 'MESSAGE_UPDATE':
      return readMessage(deps, event)
    case 'MESSAGE_DELETE':
      return translateDeletion(event.d, event.together)
    case 'INVITE_CREATE':
      return { t: 'INVITE_CREATE', d: toInviteEvent(event.d) }
    case 'INVITE_DELETE': {
      const { code, serverId, channelId } = event.d
      return { t: 'INVITE_DELETE', d: { code, guild_id: serverId, channel_id: channelId } }
    }
    case 'WEBHOOKS_UPDATE':
      return { t: 'WEBHOOKS_UPDATE', d: { guild_id: event.d.serverId, channel_id: event.d.channelId } }
    case 'INTERACTION_CREATE':
      return readInteraction(deps, session, event.d)
    case 'CHANNEL_READ':
    case 'CHANNEL_MUTE':
    case 'BLOCK_UPDATE':
    case 'INTERACTION_UPDATE':
    case 'USER_UPDATE':
    case 'OWNERSHIP_TRANSFER_UPDATE':
    case 'REPORT_CREATE':
    case 'REPORT_UPDATE':
    case 'COMMANDS_UPDATE':
      return undefined
    default:
      return event satisfies never
  }
}

/** Clients of version 10 learn of a direct message with its first message. */
export function translateChannelEvent(event: ChannelEvent): Translated {
  if (event.d.serverId === null) return undefined
  if (event.t === 'CHANNEL_DELETE') {
    return event.deleted && { t: event.t, d: toDiscordChannel(event.deleted) }
  }
  return { t: event.t, d: toDiscordChannel(event.d) }
}

/** Of messages that were deleted together, the first event is that of all, and the others are none. */
function translateDeletion(
  { id, channelId, serverId }: EventMap['MESSAGE_DELETE'],
  together: PublishedEvent['together'],
): Translated {
  const place = { channel_id: channelId, ...ofServer(serverId) }
  if (together === undefined) return { t: 'MESSAGE_DELETE', d: { id, ...place } }
  return together.length === 0 ? undefined : { t: 'MESSAGE_DELETE_BULK', d: { ids: [...together], ...place } }
}

/** Undefined for an act that Discord's API does not have. */
function translateAuditLogEntry(entry: EventMap['AUDIT_LOG_ENTRY_CREATE']): Translated {
  const d = entry.serverId === null ? undefined : toDiscordAuditLogEntry(entry)
  if (d === undefined || entry.serverId === null) return undefined
  return { t: 'GUILD_AUDIT_LOG_ENTRY_CREATE', d: { ...d, guild_id: entry.serverId } }
}

/** Of READY. */
export async function readReadyEvent(
  { db, clock }: Pick<EventDeps, 'db' | 'clock'>,
  { identity: { credentialId, options } }: TranslatedSession,
  ready: Ready,
  url: string,
): Promise<EncodedEvent> {
  const application = await findApplication(db, credentialId)
  const flags = toApplicationFlags(application ?? { privilegedIntents: [] })
  const [id = 0, count = 1] = options?.shard ?? []
  const d: DiscordReady = {
    v: options?.version ?? 10,
    user: toDiscordOwnUser(ready.user),
    guilds: ready.servers.map(server => ({ id: server.id, unavailable: true })),
    session_id: ready.sessionId,
    resume_gateway_url: url,
    shard: [id, count],
    application: { id: credentialId, flags, flags_new: String(flags) },
    private_channels: [],
    _trace: [],
  }
  return new EncodedEvent({ t: 'READY', d }, clock())
}

async function readJoinedServer(
  { readServer }: EventDeps,
  session: TranslatedSession,
  serverId: string,
): Promise<Translated> {
  const d = await readServer(session, serverId)
  return d && { t: 'GUILD_CREATE', d }
}

/** Clients replace the roles by those of the event. */
async function readChangedServer({ db }: EventDeps, server: EventMap['SERVER_UPDATE']): Promise<Translated> {
  return { t: 'GUILD_UPDATE', d: toDiscordGuild(server, { roles: await listServerRoles(db, server.id) }) }
}

async function readMessage(deps: EventDeps, { t, d, componentIds }: MessageEvent): Promise<Translated> {
  const { nonce, ...message }: Message & { nonce?: string } = {
    ...d,
    components: withComponentIds(d.components, componentIds),
  }
  const sent = toDiscordMessage(message, await readMessageReferences(deps, message))
  return { t, d: nonce === undefined ? sent : { ...sent, nonce } }
}

async function readInteraction(
  deps: EventDeps,
  { identity }: TranslatedSession,
  event: InteractionCreate,
): Promise<Translated> {
  return { t: 'INTERACTION_CREATE', d: await describeInteraction(deps, event, identity.tokenHash) }
}

function toGuildMember(member: EventMap['MEMBER_ADD']): DiscordMember & { guild_id: string } {
  return { ...toDiscordMember(member), guild_id: member.serverId }
}

function ofUser({ serverId, user }: EventMap['MEMBER_REMOVE']) {
  return { guild_id: serverId, user: toDiscordUser(user) }
}

function ofServer(serverId: string | null) {
  return serverId === null ? {} : { guild_id: serverId }
}
