import type { Message, MessageInteraction } from '@gatehouse/protocol/messages'
import type { User } from '@gatehouse/protocol/users'
import { userView } from '../accounts/users/index.ts'
import { requireAcceptedSender } from '../community/channels/index.ts'
import { type NewMessage, toMessage } from '../community/messages/index.ts'
import { canViewChannel } from '../community/permissions/index.ts'
import { AppError, notFound } from '../errors/app-error.ts'
import { hashSecret } from '../kit/secret.ts'
import type { RateWindow } from '../rate-limits/rate-limiter.ts'
import type { Sql, Transaction } from '../storage/database.ts'
import { isTokenExpired } from './deadline.ts'
import type { EphemeralMessages, EphemeralRecord } from './ephemeral-messages.ts'
import { type Content, type ContentBody, editContent } from './interaction-content.ts'
import type { Deps } from './interaction-deps.ts'
import { type StatusRecorder, statusAt } from './interaction-status.ts'
import {
  findInteractionContext,
  type InteractionContext,
  type InteractionRecord,
  type MessageRef,
} from './interaction-store.ts'
import { isTokenOf } from './response-token.ts'

export type ResponseDeps = Pick<Deps, 'db' | 'clock' | 'ids' | 'messages' | 'proxyUrls' | 'secretKey'> & {
  ephemerals: EphemeralMessages
  status: StatusRecorder
  followupRate: RateWindow
}

/**
 * What a request must have to respond to an interaction: the application of the bot, and id and token of the request
 * path.
 */
export interface ResponseCredentials {
  /** Undefined if only the token says it, on paths of Discord's API. */
  applicationId: string | undefined
  id: string
  token: string
  /** On paths of Discord's API (discord/interaction-token). */
  format?: 'discord'
}

/** An interaction to which the bot may respond. */
export interface ResponseContext {
  interaction: InteractionRecord
  bot: User
  botId: string
  channelId: string
  serverId: string | null
}

/**
 * Throws 404 as `findByToken` does, if the channel was deleted (bots/channel-deleted), and if the bot may not view it
 * any more (bots/bot-lost-channel). A direct message has no permissions.
 */
export async function openContext(
  deps: Pick<ResponseDeps, 'db' | 'secretKey'>,
  credentials: ResponseCredentials,
): Promise<ResponseContext> {
  const { interaction, bot, hasChannel } = await findByToken(deps, credentials)
  const { channelId, serverId } = interaction
  if (!bot || !hasChannel) throw notFound()
  if (serverId !== null && !(await canViewChannel(deps.db, bot.id, channelId))) throw notFound()
  return { interaction, bot: userView({ ...bot, bot: true }), botId: bot.id, channelId, serverId }
}

/** Whose token a request has, and whether the interaction still waits for its first response. */
export interface Responder {
  applicationId: string
  acceptsCallback: boolean
}

/** Undefined if `openContext` does not accept the token. */
export async function findResponder(
  deps: Pick<ResponseDeps, 'db' | 'clock' | 'secretKey'>,
  credentials: ResponseCredentials,
): Promise<Responder | undefined> {
  try {
    const { interaction } = await openContext(deps, credentials)
    const { state } = statusAt(interaction, deps.clock())
    return { applicationId: interaction.applicationId, acceptsCallback: state === 'pending' }
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined
    throw error
  }
}

/** Throws 403 `cannot_message_user`: the user of a direct message accepts no messages of the bot. */
export function requireAccepted(sql: Sql, { channelId, serverId, botId }: ResponseContext): Promise<void> {
  return requireAcceptedSender(sql, { id: channelId, serverId }, botId)
}

/**
 * Throws the same 404 for an unknown id, a wrong or revoked token and the interaction of another bot. The token is
 * hashed in each case, so that the response time does not tell them apart (bots/interaction-authentication).
 */
async function findByToken(
  { db, secretKey }: Pick<ResponseDeps, 'db' | 'secretKey'>,
  { token, ...credentials }: ResponseCredentials,
): Promise<InteractionContext> {
  const given = { ...credentials, tokenHash: hashSecret(token) }
  const context = await findInteractionContext(db, credentials.id)
  const issued = context && { ...context.interaction, botTokenHash: context.botTokenHash }
  const isAccepted = isTokenOf(secretKey, given, issued)
  if (!context || !isAccepted || !isOfApplication(given, context.interaction)) throw notFound()
  return context
}

/** Without `Authorization`, the token alone says which application it is. */
export function isOfApplication(
  { applicationId }: Pick<ResponseCredentials, 'applicationId'>,
  interaction: { applicationId: string },
): boolean {
  return applicationId === undefined || applicationId === interaction.applicationId
}

/** Throws 404, 409 or 410 unless the interaction accepts a first response. */
export function assertAcceptsCallback(interaction: InteractionRecord | undefined, now: number): void {
  if (!interaction) throw notFound()
  const { state } = interaction
  if (state === 'failed') throw notFound()
  if (state === 'answered' || state === 'deferred') {
    throw new AppError('interaction_already_answered', 'The interaction already has its first response.')
  }
  if (statusAt(interaction, now).state !== 'timed_out') return
  const late = now - interaction.deadlineAt
  throw new AppError(
    'interaction_timed_out',
    `The interaction timed out: the response arrived ${late} ms after the deadline.`,
  )
}

/**
 * Throws 404, 409 or 410 unless the interaction accepts follow-ups and requests for its responses
 * (bots/callback-response, bots/token-lifetime).
 */
export function assertAcceptsFollowups(interaction: InteractionRecord, now: number): void {
  if (isTokenExpired(interaction, now)) {
    throw new AppError('interaction_token_expired', 'The token of the interaction expired after 15 minutes.')
  }
  const { state } = statusAt(interaction, now)
  if (state === 'pending') {
    throw new AppError('interaction_not_answered', 'The interaction has no first response yet.')
  }
  if (state === 'timed_out') throw new AppError('interaction_timed_out', 'The interaction timed out.')
  if (state === 'failed') throw notFound()
}

/** Counts a follow-up or an edit of a response (limits/followups). Throws 429 `rate_limited`. */
export async function checkFollowupRate(
  { followupRate }: Pick<ResponseDeps, 'followupRate'>,
  { botId, channelId }: ResponseContext,
): Promise<void> {
  await followupRate.check(`${botId} ${channelId}`)
}

/** `interaction` of a response message (bots/callback-response). */
function toMessageInteraction({ id, type, name, event }: InteractionRecord): MessageInteraction {
  const commandType = event.data?.type
  return { id, type, name, ...(commandType === undefined ? {} : { commandType }), user: event.user }
}

export function toNewMessage(
  { interaction, bot, channelId, serverId }: ResponseContext,
  content: Content,
  state: 'sent' | 'deferred',
): NewMessage {
  return {
    channelId,
    serverId,
    author: bot,
    ...content,
    state,
    interaction: toMessageInteraction(interaction),
    applicationId: interaction.applicationId,
  }
}

/** The same for an ephemeral message (bots/ephemeral). */
export function toEphemeralRecord(
  { clock, ids, proxyUrls }: Pick<ResponseDeps, 'clock' | 'ids' | 'proxyUrls'>,
  { interaction, bot, channelId, serverId }: ResponseContext,
  content: Content,
  state: 'sent' | 'deferred',
): EphemeralRecord {
  const message: Message = proxyUrls.addTo({
    id: ids(),
    channelId,
    serverId,
    author: bot,
    ...content,
    createdAt: new Date(clock()).toISOString(),
    editedAt: null,
    state,
    interaction: toMessageInteraction(interaction),
    ephemeral: true,
  })
  const { userId, applicationId, id: interactionId, expiresAt } = interaction
  return { message, userId, applicationId, interactionId, expiresAt }
}

/** An ephemeral message after an edit. Replacing a placeholder does not count as an edit (bots/placeholder-id). */
export function withContent(
  { clock, proxyUrls }: Pick<ResponseDeps, 'clock' | 'proxyUrls'>,
  message: Message,
  changes: Partial<Content>,
): Message {
  const now = clock()
  const { editedAt } = message
  const time = editedAt === null ? now : Math.max(now, Date.parse(editedAt) + 1)
  return proxyUrls.addTo({
    ...message,
    ...changes,
    state: 'sent',
    editedAt: message.state === 'sent' ? new Date(time).toISOString() : editedAt,
  })
}

/**
 * Edits a response, or the message whose component was used. `claim` makes a transition of the interaction in the same
 * transaction. Throws 404 if the message was deleted, and 400 if it would become empty, or 404 if a concurrent edit
 * makes it empty. The rollback then undoes the claim too. An ephemeral message is not in the database: if it is deleted
 * between the read and the update, the 404 follows the commit of the claim.
 */
export async function editMessageOfInteraction(
  deps: ResponseDeps,
  context: ResponseContext,
  { id, ephemeral }: MessageRef,
  body: ContentBody,
  claim?: (tx: Transaction) => Promise<unknown>,
): Promise<Message> {
  const { db, messages, ephemerals } = deps
  if (ephemeral) {
    const before = await ephemerals.find(id)
    if (!before) throw notFound()
    const changes = await editContent(db, context, body, before.message)
    ephemerals.checkRate({ ...before, message: withContent(deps, before.message, changes) })
    if (claim) await db.transaction(claim)
    const message = await ephemerals.update(id, current => withContent(deps, current, changes))
    if (!message) throw notFound()
    return message
  }
  return db.transaction(async tx => {
    await claim?.(tx)
    const before = await messages.findMessage(tx, context.channelId, id)
    if (!before) throw notFound()
    const changes = await editContent(tx, context, body, toMessage(before))
    const message = await messages.editMessage(tx, id, { ...changes, state: 'sent' })
    if (!message) throw notFound()
    return message
  })
}
