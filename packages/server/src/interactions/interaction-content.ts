import { intersectMentions, type Mentions, usersOnly } from '@gatehouse/protocol/mentions'
import type { Message, UpdateMessageBody } from '@gatehouse/protocol/messages'
import { noMentions, requireContentOrEmbed, resolveMentions } from '../community/messages/index.ts'
import { canMentionEveryone } from '../community/permissions/index.ts'
import type { Sql } from '../storage/database.ts'

/** The validated content of a message. */
export type Content = Pick<Message, 'content' | 'embeds' | 'components' | 'mentions'>

/**
 * The body of a request. `prefix` precedes the paths of its field errors. A response needs neither SEND_MESSAGES nor
 * EMBED_LINKS (bots/command-visibility).
 */
export interface ContentBody {
  fields: UpdateMessageBody
  prefix: string
}

interface Author {
  botId: string
  channelId: string
  serverId: string | null
}

/** The content of a new message. Throws 400 if it is empty. */
export async function createContent(
  sql: Sql,
  author: Author,
  { fields, prefix }: ContentBody,
): Promise<Content> {
  const { content = '', embeds = [], components = [] } = fields
  requireContentOrEmbed({ content, embeds }, prefix)
  return { content, embeds, components, mentions: await findMentions(sql, author, content, fields) }
}

/**
 * The changes of an edit: fields that are left out do not change, also if another request has changed them since
 * `before` was read; null and [] clear them (bots/callback-response).
 */
export async function editContent(
  sql: Sql,
  author: Author,
  { fields, prefix }: ContentBody,
  before: Message,
): Promise<Partial<Content>> {
  const { content = before.content, embeds = before.embeds } = fields
  requireContentOrEmbed({ content, embeds }, prefix)
  const changes = {
    ...(fields.content === undefined ? {} : { content }),
    ...(fields.embeds === undefined ? {} : { embeds }),
    ...(fields.components === undefined ? {} : { components: fields.components }),
  }
  if (before.state === 'sent' && fields.content === undefined && fields.allowedMentions === undefined)
    return changes
  const mentions = await findMentions(sql, author, content, fields)
  // An edit without `allowedMentions` adds no mention (webhooks/edit-mentions). Replacing a placeholder is not an edit.
  const limited = before.state === 'sent' && fields.allowedMentions === undefined
  return { ...changes, mentions: limited ? intersectMentions(mentions, before.mentions) : mentions }
}

/** The content of a placeholder. */
export const emptyContent: Content = { content: '', embeds: [], components: [], mentions: noMentions() }

/** Users only by default; everyone and roles also need MENTION_EVERYONE (webhooks/mentions). */
async function findMentions(
  sql: Sql,
  { botId, channelId, serverId }: Author,
  content: string,
  { allowedMentions }: UpdateMessageBody,
): Promise<Mentions> {
  if (!content.includes('@')) return noMentions()
  return resolveMentions(sql, {
    content,
    allowedMentions,
    defaultMentions: usersOnly,
    channelId,
    serverId,
    canMentionEveryone: await canMentionEveryone(sql, botId, channelId),
  })
}
