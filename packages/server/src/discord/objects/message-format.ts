import { isJsonObject, type JsonObject, numberToText } from '@gatehouse/protocol/json-object'
import type { Message, MessageAuthor, MessageInteraction } from '@gatehouse/protocol/messages'
import type { Member } from '@gatehouse/protocol/servers'
import type { User } from '@gatehouse/protocol/users'
import type {
  APIApplicationCommandInteractionMetadata,
  APIMessageInteraction,
  APIUserWithMember,
  GatewayMessageCreateDispatchData,
} from 'discord-api-types/v10'
import { findUsers, userView } from '../../accounts/users/index.ts'
import { findByBotUser } from '../../applications/index.ts'
import { findMembers } from '../../community/members/index.ts'
import { invalid } from '../../errors/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Database, Sql } from '../../storage/database.ts'
import {
  filesNotAccepted,
  findWebhookApplications,
  toDiscordTimestamp,
  toImageHash,
} from '../../webhooks/index.ts'
import { channelTypes } from './discord-channel.ts'
import { type DiscordRow, fromDiscordRows, toDiscordRows } from './discord-components.ts'
import { type DiscordEmbed, toDiscordEmbed } from './discord-embed.ts'
import { type DiscordMemberWithoutUser, toDiscordMemberWithoutUser } from './discord-member.ts'
import { type DiscordUser, plainUser, toDiscordUser } from './discord-user.ts'
import { noFlags } from './no-flags.ts'
import { type IntegrationOwners, type OptionalMembers, toIntegrationOwners, type Whole } from './whole.ts'

type MentionedUser = Whole<
  APIUserWithMember,
  OptionalMembers['mentionedUser'],
  { member?: DiscordMemberWithoutUser }
>

interface InteractionMembers {
  interaction?: Whole<APIMessageInteraction, OptionalMembers['messageInteraction'], { user: DiscordUser }>
  interaction_metadata?: Whole<
    APIApplicationCommandInteractionMetadata,
    OptionalMembers['interactionMetadata'],
    { user: DiscordUser; authorizing_integration_owners: IntegrationOwners }
  >
}

interface OwnMembers extends InteractionMembers {
  author: DiscordUser
  member?: DiscordMemberWithoutUser
  mentions: MentionedUser[]
  embeds: DiscordEmbed[]
  components: DiscordRow[]
}

export type DiscordMessage = Whole<GatewayMessageCreateDispatchData, OptionalMembers['message'], OwnMembers>

/** What a message of Discord's API has, and ours not. */
export interface MessageReferences {
  /** The mentioned users, by id. */
  users: ReadonlyMap<string, User>
  /** Of these and of the author, those who are members of the server, by user id. */
  members: ReadonlyMap<string, Member>
  /** The application that the message responds for, or whose bot created its webhook. */
  applicationId: string | undefined
  /** Before the paths of pictures. */
  baseUrl: string
}

/** What the formats of messages are read with. */
export interface MessageFormatDeps {
  db: Database
  clock: Clock
  baseUrl: string
}

/** The number of each type of interaction. */
export const interactionTypes = { command: 2, component: 3, modal_submit: 5 } as const

const flags = { ephemeral: 64, loading: 128, componentsV2: 32_768 } as const

export async function readMessageReferences(
  { db, clock, baseUrl }: MessageFormatDeps,
  { author, serverId, mentions, interaction }: Message,
): Promise<MessageReferences> {
  const memberIds =
    author.webhookId === undefined ? [...new Set([author.id, ...mentions.users])] : mentions.users
  const [users, members, applicationId] = await Promise.all([
    findUsers(db, mentions.users),
    serverId === null || memberIds.length === 0 ? [] : findMembers(db, clock(), serverId, memberIds),
    findApplicationOf(db, author, interaction),
  ])
  return {
    users: new Map([...users].map(([id, record]) => [id, userView(record)])),
    members: new Map(members.map(member => [member.user.id, member])),
    applicationId,
    baseUrl,
  }
}

/** That of the response, or of the bot that created the webhook. */
async function findApplicationOf(
  sql: Sql,
  { id, webhookId }: MessageAuthor,
  interaction: MessageInteraction | undefined,
): Promise<string | undefined> {
  if (webhookId === undefined) return interaction && findByBotUser(sql, id)
  return (await findWebhookApplications(sql, [webhookId])).get(webhookId)
}

/** With the members that only events of the gateway have: clients ignore them in responses. */
export function toDiscordMessage(
  message: Message,
  { users, members, applicationId, baseUrl }: MessageReferences,
): DiscordMessage {
  const { author, interaction, serverId } = message
  const member = members.get(author.id)
  const mentioned = message.mentions.users.flatMap((id): MentionedUser[] => {
    const user = users.get(id)
    const inServer = members.get(id)
    return user
      ? [{ ...toDiscordUser(user), ...(inServer && { member: toDiscordMemberWithoutUser(inServer) }) }]
      : []
  })
  return {
    id: message.id,
    channel_id: message.channelId,
    // discord.js needs it for a direct message of a channel that it does not know.
    channel_type: serverId === null ? channelTypes.dm : channelTypes.text,
    ...(serverId === null ? {} : { guild_id: serverId }),
    author: toDiscordAuthor(author),
    ...(member && { member: toDiscordMemberWithoutUser(member) }),
    content: message.content,
    timestamp: toDiscordTimestamp(message.createdAt),
    edited_timestamp: message.editedAt === null ? null : toDiscordTimestamp(message.editedAt),
    tts: false,
    mention_everyone: message.mentions.everyone,
    mentions: mentioned,
    mention_roles: message.mentions.roles,
    mention_channels: [],
    attachments: [],
    reactions: [],
    sticker_items: [],
    stickers: [],
    message_snapshots: [],
    embeds: message.embeds.map(embed => toDiscordEmbed(embed, baseUrl)),
    components: toDiscordRows(message.components),
    pinned: false,
    type: typeOf(interaction),
    flags: flagsOf(message),
    ...(applicationId === undefined ? {} : { application_id: applicationId }),
    ...toWebhookId(author.webhookId ?? applicationId),
    ...(interaction && toInteractionMembers(interaction, message)),
  }
}

/** Of a response, it is the id of the application. */
function toWebhookId(id: string | undefined): { webhook_id?: string } {
  return id === undefined ? {} : { webhook_id: id }
}

function toDiscordAuthor(author: MessageAuthor): DiscordUser {
  const { webhookId, displayName, avatar } = author
  if (webhookId === undefined) return toDiscordUser({ ...author, avatar: avatar ?? '' })
  return {
    ...plainUser,
    id: webhookId,
    username: displayName,
    discriminator: '0000',
    global_name: null,
    avatar: avatar === null ? null : toImageHash(avatar),
    bot: true,
  }
}

/** CHAT_INPUT_COMMAND, CONTEXT_MENU_COMMAND or DEFAULT. */
function typeOf(interaction: MessageInteraction | undefined) {
  if (interaction?.type !== 'command') return 0
  return interaction.commandType === undefined ? 20 : 23
}

function flagsOf({ ephemeral, state }: Message): number {
  return (ephemeral ? flags.ephemeral : noFlags) | (state === 'deferred' ? flags.loading : noFlags)
}

function toInteractionMembers(
  { id, type, name, user }: MessageInteraction,
  { serverId }: Message,
): InteractionMembers {
  const common = { id, user: toDiscordUser(user) }
  const interaction = { ...common, type: interactionTypes[type], name }
  // That of a component names its message, which ours does not.
  if (type !== 'command') return { interaction }
  const owners = toIntegrationOwners(serverId)
  const metadata = { ...common, type: interactionTypes.command, authorizing_integration_owners: owners }
  return { interaction, interaction_metadata: metadata }
}

/** The members of a message in the format of our API, whose operation validates them. */
interface NativeMessage {
  content?: unknown
  embeds?: unknown
  components?: unknown
  allowedMentions?: unknown
}

/**
 * A message of a request, or the changes of an edit. Other members of Discord's API that do not change what others see
 * are ignored. Throws 400 for what does not exist here. `prefix` precedes the paths of the errors, such as `data.`.
 */
export function fromDiscordMessage(body: JsonObject, prefix = ''): NativeMessage {
  const { content, embeds, components, allowed_mentions: mentions } = body
  if (hasItems(body.attachments)) throw filesNotAccepted()
  if (hasItems(body.sticker_ids)) {
    throw invalid(`${prefix}sticker_ids`, 'not_allowed', 'must be empty: there are no stickers here')
  }
  if (isJsonObject(body.poll)) {
    throw invalid(`${prefix}poll`, 'not_allowed', 'must be absent: there are no polls here')
  }
  if (hasFlag(body, flags.componentsV2)) {
    const message = 'must not contain IS_COMPONENTS_V2 (32768): use content, embeds and rows of components'
    throw invalid(`${prefix}flags`, 'not_allowed', message)
  }
  return {
    ...(content === undefined ? {} : { content: numberToText(content) }),
    ...(embeds === undefined ? {} : { embeds }),
    ...(components === undefined ? {} : { components: fromDiscordRows(components, `${prefix}components`) }),
    ...(mentions === undefined ? {} : { allowedMentions: fromAllowedMentions(mentions) }),
  }
}

export function isEphemeralRequest(body: JsonObject): boolean {
  return hasFlag(body, flags.ephemeral)
}

function hasFlag({ flags: given }: JsonObject, flag: number): boolean {
  return typeof given === 'number' && (given & flag) !== 0
}

function hasItems(given: unknown): boolean {
  return Array.isArray(given) && given.length > 0
}

/** Ids may be numbers, as in the requests of discord.py. */
function fromAllowedMentions(given: unknown): unknown {
  if (!isJsonObject(given)) return given
  const toIds = (ids: unknown) => (Array.isArray(ids) ? ids.map(numberToText) : ids)
  const { parse, users, roles } = given
  return { parse, users: toIds(users), roles: toIds(roles) }
}
