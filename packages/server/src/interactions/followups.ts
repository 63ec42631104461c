// `responses.ts` edits and deletes follow-ups too.
import { isEphemeral, type ResponseData } from '@gatehouse/protocol/interactions'
import type { Message } from '@gatehouse/protocol/messages'
import { lockMember } from '../community/members/index.ts'
import { notFound } from '../errors/app-error.ts'
import { type Content, createContent } from './interaction-content.ts'
import { setOriginal } from './interaction-store.ts'
import {
  checkFollowupRate,
  type ResponseContext,
  type ResponseCredentials,
  type ResponseDeps,
  requireAccepted,
  toEphemeralRecord,
  toNewMessage,
  withContent,
} from './response-context.ts'
import { claimPlaceholder, openForFollowups } from './responses.ts'

export type CreateFollowup = ReturnType<typeof createFollowupHandler>

/**
 * The first follow-up after `defer` replaces the placeholder, and keeps its id unless only the follow-up is ephemeral.
 * After an ephemeral `defer` it is always ephemeral (bots/placeholder-id, bots/followup-ephemeral).
 */
export function createFollowupHandler(deps: ResponseDeps) {
  const { db, messages, ephemerals } = deps

  function createPublic(context: ResponseContext, content: Content): Promise<Message> {
    const { interaction, serverId, botId } = context
    return db.transaction(async tx => {
      // As for a message of a user (community/messages/messages.ts): a ban of the bot waits for this message and
      // deletes it too, or comes first, and nothing is stored.
      if (serverId !== null && !(await lockMember(tx, serverId, botId))) throw notFound()
      const claimed = await claimPlaceholder(tx, deps, context)
      if (claimed?.placeholder) {
        const message = await messages.editMessage(tx, claimed.placeholder.id, { ...content, state: 'sent' })
        if (message) return message
      }
      const message = await messages.insertMessage(tx, toNewMessage(context, content, 'sent'))
      if (claimed) await setOriginal(tx, interaction.id, { id: message.id, ephemeral: false })
      return message
    })
  }

  /**
   * Stores the message before the claim, so that an answered interaction has its message. Discards it if that fails.
   * Undefined if the message `onlyAsFirst` is ephemeral, and another follow-up was first.
   */
  async function createEphemeral(
    context: ResponseContext,
    content: Content,
    onlyAsFirst: boolean,
  ): Promise<Message | undefined> {
    const record = toEphemeralRecord(deps, context, content, 'sent')
    const { message } = record
    const original = { id: message.id, ephemeral: true }
    await ephemerals.store(record)
    const claiming = db.transaction(async tx => {
      const claimed = await claimPlaceholder(tx, deps, context)
      if (claimed?.placeholder?.ephemeral === false) await messages.deleteMessage(tx, claimed.placeholder.id)
      if (claimed && !claimed.placeholder?.ephemeral) await setOriginal(tx, context.interaction.id, original)
      return claimed
    })
    const claimed = await claiming.catch(async error => {
      await ephemerals.discard(record)
      throw error
    })
    if (!claimed && onlyAsFirst) {
      await ephemerals.discard(record)
      return undefined
    }
    if (claimed?.placeholder?.ephemeral) {
      const edited = await ephemerals.update(claimed.placeholder.id, current =>
        withContent(deps, current, content),
      )
      if (edited) {
        await ephemerals.discard(record)
        return edited
      }
      await setOriginal(db, context.interaction.id, original)
    }
    await ephemerals.publishCreate(record)
    return message
  }

  return async (credentials: ResponseCredentials, body: ResponseData): Promise<Message> => {
    const context = await openForFollowups(deps, credentials)
    await requireAccepted(db, context)
    await checkFollowupRate(deps, context)
    const content = await createContent(db, context, { fields: body, prefix: '' })
    const { state, original } = context.interaction
    const replacesEphemeral = state === 'deferred' && original?.ephemeral === true
    const message =
      (isEphemeral(body) || replacesEphemeral) &&
      (await createEphemeral(context, content, !isEphemeral(body)))
    return message || createPublic(context, content)
  }
}
