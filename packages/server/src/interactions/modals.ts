import { toFieldErrors } from '@gatehouse/protocol/field-errors'
import type {
  CommandInteraction,
  ModalSubmitInteraction,
  RunInteractionBody,
} from '@gatehouse/protocol/interactions'
import { checkFields } from '@gatehouse/protocol/modals'
import type { ApplicationRecord } from '../applications/index.ts'
import { AppError, invalidAll, notFound } from '../kit/app-error.ts'
import { valueOrThrow } from '../kit/settled.ts'
import { type ChannelAccess, requireChannel, requireNoMemberTimeOut } from '../platform/permissions/index.ts'
import type { Sql } from '../storage/database.ts'
import { requireBotInChannel } from './channel-bot.ts'
import { findCommandForChannel, requireUsableCommand } from './commands.ts'
import { findBotMessage } from './components.ts'
import { isTokenExpired } from './deadline.ts'
import { findInteractionContext, type InteractionRecord, type MessageRef } from './interactions-store.ts'
import type { ResponseDeps } from './response-context.ts'

/** A modal that the user may submit, with what the user entered. */
export interface SubmittedModal {
  application: ApplicationRecord
  serverId: string | null
  /** The `customId` of the modal. */
  name: string
  /** The message with the component that opened it; undefined for a command. */
  sourceMessage: MessageRef | undefined
  /** The same, unless it was deleted. */
  message: ModalSubmitInteraction['message']
  data: ModalSubmitInteraction['data']
}

/**
 * Validates the submit of a modal (bots/modal-submit, bots/modal-values). Whether it was submitted before is decided when the
 * interaction is stored. Throws 404 unless the bot opened the modal for this user in this channel, and user and bot can still
 * view it; 403 if the user is timed out or can no longer use the command; 410 if it expired.
 */
export async function resolveModalSubmit(
  deps: ResponseDeps,
  userId: string,
  { channelId, interactionId, components }: Extract<RunInteractionBody, { type: 'modal_submit' }>,
): Promise<SubmittedModal> {
  const { db, clock } = deps
  // For speed: both are sent to PostgreSQL at once. An error of the channel comes first.
  const [settledAccess, settledContext] = await Promise.allSettled([
    requireChannel(db, clock(), userId, channelId),
    findInteractionContext(db, interactionId),
  ])
  const access = valueOrThrow(settledAccess)
  const { interaction, bot } = valueOrThrow(settledContext) ?? {}
  const modal = interaction?.modal
  if (
    !interaction ||
    !bot ||
    !modal ||
    interaction.userId !== userId ||
    interaction.channelId !== channelId
  ) {
    throw notFound()
  }
  const { type, applicationId, serverId, sourceMessage, tokenHash } = interaction
  // The bot was removed from the server (bots/bot-removed). It does not matter if it is a member again.
  if (tokenHash === '') throw notFound()
  if (type === 'component') requireNoMemberTimeOut(access)
  if (isTokenExpired(interaction, clock())) {
    throw new AppError('interaction_token_expired', 'The modal expired after 15 minutes.')
  }
  const { fields, violations } = checkFields(modal, components)
  if (violations.length > 0) throw invalidAll(toFieldErrors(violations))
  const [application, message] = await Promise.all([
    type === 'component'
      ? requireBotInChannel(db, { applicationId, botId: bot.id }, channelId)
      : requireCommand(db, interaction, access),
    sourceMessage && findBotMessage(deps, { userId, channelId, messageId: sourceMessage.id }),
  ])
  return {
    application,
    serverId,
    name: modal.customId,
    sourceMessage,
    message: message && { id: message.ref.id, content: message.content, components: message.components },
    data: {
      customId: modal.customId,
      components: fields.map(field => ({ type: 'text_input', ...field })),
    },
  }
}

/** A modal of a command needs what the command needs, also when it is submitted. */
async function requireCommand(
  sql: Sql,
  { event, userId, channelId }: InteractionRecord,
  access: ChannelAccess,
): Promise<ApplicationRecord> {
  const { id } = event.data as CommandInteraction['data']
  return requireUsableCommand(await findCommandForChannel(sql, id, channelId), userId, access).application
}
