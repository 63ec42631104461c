import type { AllowedMentions, Mentions } from '@gatehouse/protocol/mentions'
import { noMoreThan, parseMentions, usersOnly } from '@gatehouse/protocol/mentions'
import type { Message, MessageAuthor } from '@gatehouse/protocol/messages'
import { has, Permission } from '@gatehouse/protocol/permissions'
import type { DialectMessage } from '@gatehouse/protocol/webhooks'
import { type MessageRecord, type Messages, resolveMentions } from '../platform/messages/index.ts'
import { access } from '../platform/permissions/index.ts'
import { findUsers, userView } from '../platform/users/index.ts'
import type { Database, Sql } from '../storage/database.ts'
import { dialectMessage } from './dialect.ts'
import type { Draft, Edit } from './draft.ts'
import { emptyMessage, unknownMessage, unknownWebhook } from './refusal.ts'
import * as store from './store.ts'

interface PostingDeps {
  db: Database
  messages: Pick<Messages, 'createMessage' | 'editMessage' | 'deleteMessage' | 'findMessage'>
  baseUrl: string
}

/** A message, and the webhook as it was when it came to stand. */
export interface Posted {
  message: Message
  webhook: store.AddressedWebhook
}

/** What whoever has a webhook's address may do with messages. `webhook` is what `find` of webhook.ts gave. */
export interface Posting {
  post(webhook: store.AddressedWebhook, draft: Draft): Promise<Posted>
  /** A message as the dialect shows it. */
  show(webhook: store.AddressedWebhook, message: Message): Promise<DialectMessage>
  /** Its own messages alone, in the channel where it is now; a Refusal `10008` for any other. */
  read(webhook: store.AddressedWebhook, messageId: string): Promise<Message>
  edit(webhook: store.AddressedWebhook, messageId: string, edit: Edit): Promise<Message>
  remove(webhook: store.AddressedWebhook, messageId: string): Promise<void>
}

export function createPosting({ db, messages, baseUrl }: PostingDeps): Posting {
  async function own(sql: Sql, webhook: store.AddressedWebhook, messageId: string): Promise<MessageRecord> {
    const message = await messages.findMessage(sql, webhook.channelId, messageId)
    if (message?.webhookId !== webhook.id) throw unknownMessage()
    return message
  }

  async function post(webhook: store.AddressedWebhook, draft: Draft): Promise<Posted> {
    const { channelId, serverId } = webhook
    const { content, embeds, allowed } = draft
    const mentions = await mentionsIn(db, webhook, content, allowed)
    const author = authorOf(webhook, draft)
    try {
      return await db.transaction(async tx => {
        // Neither waits for the other: one round trip where the database is away.
        const [now, message] = await Promise.all([
          store.findAddressed(tx, webhook.id),
          messages.createMessage(tx, { channelId, serverId, author, content, embeds, mentions }),
        ])
        // Found a second ago, or the body has taken long: a token that was replaced meanwhile no longer posts.
        if (now?.tokenHash !== webhook.tokenHash) throw unknownWebhook()
        if (!isSame(now, webhook)) throw new Changed(now)
        return { message, webhook }
      })
    } catch (error) {
      if (error instanceof Changed) return post(error.webhook, draft)
      throw error
    }
  }

  return {
    post,
    async show(webhook, message) {
      const ids = message.mentions.users
      const users = ids.length === 0 ? undefined : await findUsers(db, ids)
      const mentioned = ids.flatMap(id => users?.get(id) ?? []).map(userView)
      return dialectMessage(message, webhook, mentioned, baseUrl)
    },
    read: (webhook, messageId) => own(db, webhook, messageId),
    edit: (webhook, messageId, edit) =>
      db.transaction(async tx => {
        const before = await own(tx, webhook, messageId)
        const { content = before.content, embeds = before.embeds } = edit
        if (content === '' && embeds.length === 0) throw emptyMessage()
        if (edit.content === undefined && edit.embeds === undefined && edit.allowed === undefined)
          return before
        const mentions = await mentionsAfter(tx, webhook, before, edit)
        const { content: text, embeds: cards } = edit
        const edited = await messages.editMessage(tx, messageId, { content: text, embeds: cards, mentions })
        if (edited === undefined) throw unknownMessage()
        return edited
      }),
    remove: (webhook, messageId) =>
      db.transaction(async tx => {
        await own(tx, webhook, messageId)
        if (!(await messages.deleteMessage(tx, messageId))) throw unknownMessage()
      }),
  }
}

/** Somebody moved or renamed the webhook while the post was under way. */
class Changed extends Error {
  readonly webhook: store.AddressedWebhook
  constructor(webhook: store.AddressedWebhook) {
    super('the webhook was changed')
    this.webhook = webhook
  }
}

/** In what a message takes from it. */
function isSame(now: store.AddressedWebhook, then: store.AddressedWebhook): boolean {
  return now.channelId === then.channelId && now.name === then.name && now.avatar === then.avatar
}

/** D43: the name and picture that this message shows, whatever the webhook has later. */
function authorOf(webhook: store.AddressedWebhook, { name, avatar }: Draft): MessageAuthor {
  const shown = name ?? webhook.name
  return {
    id: webhook.id,
    username: shown,
    displayName: shown,
    avatar: avatar ?? webhook.avatar,
    bot: true,
    webhookId: webhook.id,
  }
}

/** Undefined leaves them as they are. */
async function mentionsAfter(
  sql: Sql,
  webhook: store.AddressedWebhook,
  before: Message,
  edit: Edit,
): Promise<Mentions | undefined> {
  if (edit.content === undefined && edit.allowed === undefined) return undefined
  const mentions = await mentionsIn(sql, webhook, edit.content ?? before.content, edit.allowed)
  // D46
  return edit.allowed === undefined ? noMoreThan(mentions, before.mentions) : mentions
}

async function mentionsIn(
  sql: Sql,
  webhook: store.AddressedWebhook,
  content: string,
  allowed: AllowedMentions | undefined,
): Promise<Mentions> {
  const { channelId, serverId } = webhook
  return resolveMentions(sql, {
    content,
    allowed,
    default: usersOnly,
    channelId,
    serverId,
    mayMentionEveryone: await mayMentionEveryone(sql, webhook, content, allowed),
  })
}

/** D36: it needs MENTION_EVERYONE of who made the webhook; asked only of a text that mentions more than users. */
async function mayMentionEveryone(
  sql: Sql,
  { createdBy, channelId }: store.AddressedWebhook,
  content: string,
  allowed: AllowedMentions | undefined,
): Promise<boolean> {
  if (allowed === undefined) return false
  const { everyone, roles } = parseMentions(content)
  if (!everyone && roles.length === 0) return false
  const found = await access(sql, createdBy, channelId)
  return found !== undefined && has(found.permissions, Permission.MENTION_EVERYONE)
}
