import type { Message, UpdateMessageBody } from '@gatehouse/protocol/messages'
import { toMessage } from '../community/messages/index.ts'
import { notFound } from '../errors/app-error.ts'
import type { Transaction } from '../storage/database.ts'
import * as store from './interaction-store.ts'
import {
  assertAcceptsFollowups,
  checkFollowupRate,
  editMessageOfInteraction,
  openContext,
  type ResponseContext,
  type ResponseCredentials,
  type ResponseDeps,
  requireAccepted,
} from './response-context.ts'

/** The original response if `messageId` is undefined, otherwise the response with this id. */
type ResponseLocator = ResponseCredentials & { messageId?: string }

export type Responses = ReturnType<typeof createResponses>

/** Reads, edits and deletes the original response and follow-ups. Each operation throws 404 for any other message. */
export function createResponses(deps: ResponseDeps) {
  const { db, messages, ephemerals, status } = deps

  async function findResponse(
    { interaction, channelId }: ResponseContext,
    messageId: string | undefined,
  ): Promise<store.MessageRef> {
    const { id, original } = interaction
    if (messageId === undefined || messageId === original?.id) {
      if (!original) throw notFound()
      return original
    }
    const message = await messages.findMessage(db, channelId, messageId)
    if (message?.interactionId === id) return { id: messageId, ephemeral: false }
    const ephemeral = await ephemerals.find(messageId)
    if (ephemeral?.interactionId === id) return { id: messageId, ephemeral: true }
    throw notFound()
  }

  /** A deferred interaction whose placeholder is deleted counts as answered. */
  async function clearOriginal(tx: Transaction, { interaction }: ResponseContext, id: string): Promise<void> {
    if (interaction.original?.id !== id || !(await store.clearOriginal(tx, interaction.id, id))) return
    if (interaction.state === 'deferred') {
      tx.afterCommit(() => status.publishUpdate(interaction, { state: 'answered' }))
    }
  }

  return {
    async read({ messageId, ...credentials }: ResponseLocator): Promise<Message> {
      const context = await openForFollowups(deps, credentials)
      const { id, ephemeral } = await findResponse(context, messageId)
      if (ephemeral) {
        const record = await ephemerals.find(id)
        if (!record) throw notFound()
        return record.message
      }
      const record = await messages.findMessage(db, context.channelId, id)
      if (!record) throw notFound()
      return toMessage(record)
    },

    /** Changes the given fields. The first edit of a placeholder answers the interaction (bots/interaction-states). */
    async edit({ messageId, ...credentials }: ResponseLocator, body: UpdateMessageBody): Promise<Message> {
      const context = await openForFollowups(deps, credentials)
      await requireAccepted(db, context)
      await checkFollowupRate(deps, context)
      const response = await findResponse(context, messageId)
      const isOriginal = context.interaction.original?.id === response.id
      const claim = (tx: Transaction) =>
        isOriginal ? claimPlaceholder(tx, deps, context) : requireAcceptsFollowups(tx, deps, context)
      return editMessageOfInteraction(deps, context, response, { fields: body, prefix: '' }, claim)
    },

    /**
     * After the original is deleted, the next follow-up is a new message (bots/original-order). The 404 is thrown after
     * the commit, so a placeholder that a moderator deleted still counts as cleared.
     */
    async delete({ messageId, ...credentials }: ResponseLocator): Promise<void> {
      const context = await openForFollowups(deps, credentials)
      const { id, ephemeral } = await findResponse(context, messageId)
      const deleted = await db.transaction(async tx => {
        await clearOriginal(tx, context, id)
        return ephemeral || messages.deleteMessage(tx, id)
      })
      if (!deleted || (ephemeral && !(await ephemerals.delete(id)))) throw notFound()
    },
  }
}

/** Throws 404 or 409 before the first response, and 410 after the token expired (bots/callback-response). */
export async function openForFollowups(
  deps: Pick<ResponseDeps, 'db' | 'clock' | 'secretKey'>,
  credentials: ResponseCredentials,
): Promise<ResponseContext> {
  const context = await openContext(deps, credentials)
  assertAcceptsFollowups(context.interaction, deps.clock())
  return context
}

/**
 * Makes the transition from `deferred`, which exactly one request wins (bots/interaction-states). Undefined if the
 * interaction is answered. Throws as `openForFollowups` if its token was revoked or has expired in the meantime.
 */
export async function claimPlaceholder(
  tx: Transaction,
  deps: Pick<ResponseDeps, 'clock' | 'status'>,
  context: ResponseContext,
): Promise<{ placeholder: store.MessageRef | undefined } | undefined> {
  const { clock, status } = deps
  const { interaction } = context
  const claimed = await store.claimPlaceholder(tx, interaction.id, clock())
  // The token of a deferred interaction is valid: its revocation ends this state.
  if (claimed) tx.afterCommit(() => status.publishUpdate(interaction, { state: 'answered' }))
  else await requireAcceptsFollowups(tx, deps, context)
  return claimed
}

/**
 * Throws as `openForFollowups` if the token was revoked or has expired since the interaction was read: a bot that was
 * removed from the server changes nothing there (bots/bot-removed).
 */
async function requireAcceptsFollowups(
  tx: Transaction,
  { clock }: Pick<ResponseDeps, 'clock'>,
  { interaction }: ResponseContext,
): Promise<void> {
  const current = await store.findInteraction(tx, interaction.id)
  if (current?.tokenHash !== interaction.tokenHash) throw notFound()
  assertAcceptsFollowups(current, clock())
}
