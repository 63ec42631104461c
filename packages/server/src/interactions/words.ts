import { type Mentions, noMoreThan, usersOnly } from '@gatehouse/protocol/mentions'
import type { Message, UpdateMessageBody } from '@gatehouse/protocol/messages'
import { has, Permission } from '@gatehouse/protocol/permissions'
import { type Draft, readDraft, requireSubstance, resolveMentions } from '../platform/messages/index.ts'
import { access } from '../platform/permissions/index.ts'
import type { Sql } from '../storage/database.ts'

/** What a message says, all of it checked. */
export type Words = Pick<Message, 'content' | 'embeds' | 'components' | 'mentions'>

/** A response's words as they were sent, checked by themselves; `prefix` is where they stand in the body. */
export interface Said {
  draft: Draft
  prefix: string
}

/** Throws 400 with all that is wrong. A response needs neither SEND_MESSAGES nor EMBED_LINKS of the bot (D65). */
export function readSaid(body: UpdateMessageBody, prefix = ''): Said {
  return { draft: readDraft(body, { by: 'bot', prefix }), prefix }
}

interface Where {
  botId: string
  channelId: string
  serverId: string | null
}

/** The words of a new message. Throws 400 where it would show nothing. */
export async function newWords(sql: Sql, where: Where, { draft, prefix }: Said): Promise<Words> {
  const { content = '', embeds = [], components = [] } = draft
  requireSubstance({ content, embeds }, prefix)
  return { content, embeds, components, mentions: await mentionsIn(sql, where, content, draft) }
}

/** The words of a message after a change: what is not named stays, null and [] empty it (D59). */
export async function changedWords(
  sql: Sql,
  where: Where,
  { draft, prefix }: Said,
  before: Message,
): Promise<Words> {
  const { content = before.content, embeds = before.embeds, components = before.components } = draft
  requireSubstance({ content, embeds }, prefix)
  const mentions = await mentionsIn(sql, where, content, draft)
  // D46: a change that does not say whom it may notify never notifies more; a placeholder has said nothing yet.
  const bounded = before.state === 'sent' && draft.allowed === undefined
  return { content, embeds, components, mentions: bounded ? noMoreThan(mentions, before.mentions) : mentions }
}

/** The words of a placeholder. */
export const nothing: Words = { content: '', embeds: [], components: [], mentions: nobody() }

function nobody(): Mentions {
  return { users: [], roles: [], everyone: false }
}

/** D36: users only unless the bot says otherwise, and everyone and roles only where it holds MENTION_EVERYONE. */
async function mentionsIn(
  sql: Sql,
  { botId, channelId, serverId }: Where,
  content: string,
  { allowed }: Draft,
): Promise<Mentions> {
  if (!content.includes('@')) return nobody()
  const found = await access(sql, botId, channelId)
  const mayMentionEveryone = found !== undefined && has(found.permissions, Permission.MENTION_EVERYONE)
  return resolveMentions(sql, {
    content,
    allowed,
    default: usersOnly,
    channelId,
    serverId,
    mayMentionEveryone,
  })
}
