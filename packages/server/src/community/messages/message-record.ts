import type { ContextCommandType } from '@gatehouse/protocol/commands'
import type { Row } from '@gatehouse/protocol/components'
import type { Embed } from '@gatehouse/protocol/embeds'
import { interactionTokenSeconds } from '@gatehouse/protocol/limits'
import type { Mentions } from '@gatehouse/protocol/mentions'
import type {
  InteractionType,
  Message,
  MessageAuthor,
  MessageInteraction,
  MessageState,
} from '@gatehouse/protocol/messages'
import type { User } from '@gatehouse/protocol/users'
import { findUsers, userView } from '../../accounts/users/index.ts'
import { imagePath } from '../../images/index.ts'
import type { Sql } from '../../storage/database.ts'

/** A message with the ids that only the service uses. */
export interface MessageRecord extends Message {
  applicationId: string | null
  webhookId: string | null
  interactionId: string | null
}

/** `interaction`, `embeds`, `components` and `mentions` are JSON text, which is parsed only if it is not empty. */
export interface MessageRow {
  id: string
  channelId: string
  serverId: string | null
  authorId: string
  webhookId: string | null
  webhookName: string | null
  webhookAvatar: string | null
  applicationId: string | null
  interactionId: string | null
  interaction: string | null
  content: string
  embeds: string
  components: string
  mentions: string
  state: Exclude<MessageState, 'expired'>
  createdAt: number
  editedAt: number | null
}

/** Undefined members do not change. */
export interface MessageChanges {
  content?: string | undefined
  embeds?: readonly Embed[] | undefined
  components?: readonly Row[] | undefined
  mentions?: Mentions | undefined
  /** The state after the change. It is no edit if the message was a placeholder (bots/placeholder-id). */
  state?: 'sent' | undefined
}

export function toMessage(record: MessageRecord): Message {
  const { applicationId: _, webhookId: __, interactionId: ___, ...message } = record
  return message
}

interface StoredInteraction {
  id: string
  type: InteractionType
  name: string
  commandType?: ContextCommandType
  userId: string
}

/** Reads the users of all rows with one statement. Their names and avatars are the current ones. */
export async function toMessageRecords(
  sql: Sql,
  rows: readonly MessageRow[],
  now: number,
): Promise<MessageRecord[]> {
  const interactions = rows.map(row => parseInteraction(row.interaction))
  const userIds = new Set<string>()
  for (const row of rows) if (row.webhookId === null) userIds.add(row.authorId)
  for (const interaction of interactions) if (interaction) userIds.add(interaction.userId)
  const records = await findUsers(sql, [...userIds])
  const users = new Map(records.entries().map(([id, record]) => [id, userView(record)]))
  return rows.map((row, index) => toMessageRecord(row, interactions[index], users, now))
}

function toMessageRecord(
  row: MessageRow,
  interaction: StoredInteraction | undefined,
  users: ReadonlyMap<string, User>,
  now: number,
): MessageRecord {
  return {
    id: row.id,
    channelId: row.channelId,
    serverId: row.serverId,
    author: toAuthor(row, users),
    content: row.content,
    embeds: parseList<Embed>(row.embeds),
    components: parseList<Row>(row.components),
    mentions: readMentionsColumn(row.mentions),
    createdAt: new Date(row.createdAt).toISOString(),
    editedAt: row.editedAt === null ? null : new Date(row.editedAt).toISOString(),
    state: toState(row, now),
    ...(interaction ? { interaction: toMessageInteraction(interaction, users) } : {}),
    applicationId: row.applicationId,
    webhookId: row.webhookId,
    interactionId: row.interactionId,
  }
}

/** A webhook's message has the name and avatar from the time when it was sent (webhooks/message-object). */
function toAuthor(row: MessageRow, users: ReadonlyMap<string, User>): MessageAuthor {
  if (row.webhookId === null) return findOrUnknown(row.authorId, users)
  const name = row.webhookName ?? ''
  return {
    id: row.authorId,
    username: name,
    displayName: name,
    avatar: row.webhookAvatar,
    bot: true,
    webhookId: row.webhookId,
  }
}

/** An account that does not exist any more is shown as unknown. */
export function findOrUnknown(id: string, users: ReadonlyMap<string, User>): User {
  return (
    users.get(id) ?? {
      id,
      username: 'unknown',
      displayName: 'Unknown',
      avatar: imagePath('users', id, null),
      bot: false,
    }
  )
}

function toMessageInteraction(
  { userId, ...interaction }: StoredInteraction,
  users: ReadonlyMap<string, User>,
): MessageInteraction {
  const { bot: _, ...user } = findOrUnknown(userId, users)
  return { ...interaction, user }
}

/**
 * A placeholder expires with the token of its interaction, because no response can replace it after that
 * (bots/placeholder-id).
 */
function toState(row: MessageRow, now: number): MessageState {
  const expired = row.state === 'deferred' && now >= row.createdAt + interactionTokenSeconds * 1000
  return expired ? 'expired' : row.state
}

const EMPTY_LIST = '[]'
const NO_MENTIONS = ''

export function formatList(list: readonly unknown[]): string {
  return list.length === 0 ? EMPTY_LIST : JSON.stringify(list)
}

export function formatMentions({ users, roles, everyone }: Mentions): string {
  return users.length + roles.length === 0 && !everyone
    ? NO_MENTIONS
    : JSON.stringify({ users, roles, everyone })
}

export function formatInteraction(interaction: MessageInteraction | undefined): string | null {
  if (interaction === undefined) return null
  const { user, ...rest } = interaction
  return JSON.stringify({ ...rest, userId: user.id } satisfies StoredInteraction)
}

export function noMentions(): Mentions {
  return { users: [], roles: [], everyone: false }
}

// The casts below are safe: only the format functions above write these columns.

export function parseList<T>(text: string): T[] {
  return text === EMPTY_LIST ? [] : (JSON.parse(text) as T[])
}

function readMentionsColumn(text: string): Mentions {
  return text === NO_MENTIONS ? noMentions() : (JSON.parse(text) as Mentions)
}

function parseInteraction(text: string | null): StoredInteraction | undefined {
  return text === null ? undefined : (JSON.parse(text) as StoredInteraction)
}
