import { toFieldErrors } from '@gatehouse/protocol/field-errors'
import type { CommandInteraction, RunInteractionBody } from '@gatehouse/protocol/interactions'
import { checkFields } from '@gatehouse/protocol/modals'
import { requireActiveMember } from '../community/permissions/index.ts'
import { AppError, invalidAll, notFound } from '../errors/app-error.ts'
import { requireBotInChannel } from './channel-bot.ts'
import { requireUsableCommand } from './command-use.ts'
import { findBotMessage, toEventMessage } from './component-use.ts'
import { isTokenExpired } from './deadline.ts'
import { findInteractionContext, type InteractionRecord } from './interaction-store.ts'
import type { Use, UserInChannel } from './interaction-use.ts'
import type { ResponseDeps } from './response-context.ts'

/**
 * Checks the submit of a modal (bots/modal-submit, bots/modal-values). Whether it was submitted before is decided when
 * the interaction is stored. Throws 404 unless the bot opened the modal for this user in this channel and can still
 * view it; 403 if the user is timed out or can no longer use the command; 410 if it expired; 400 for invalid fields.
 */
export async function resolveModalSubmit(
  deps: ResponseDeps,
  { userId, access }: UserInChannel,
  { interactionId: openedBy, components }: Extract<RunInteractionBody, { type: 'modal_submit' }>,
): Promise<Use> {
  const { db, clock } = deps
  const { id: channelId, serverId } = access.channel
  const context = await findInteractionContext(db, openedBy)
  const modal = context?.interaction.modal
  if (!context?.bot || !modal) throw notFound()
  const { interaction, bot } = context
  const { applicationId, sourceMessage } = interaction
  if (interaction.userId !== userId || interaction.channelId !== channelId) throw notFound()
  // The bot was removed from the server (bots/bot-removed). It does not matter if it is a member again.
  if (interaction.tokenHash === '') throw notFound()
  requireActiveMember(access)
  if (isTokenExpired(interaction, clock())) {
    throw new AppError('interaction_token_expired', 'The modal expired after 15 minutes.')
  }
  // A modal of a command needs what the command needs, also when it is submitted.
  const { application } =
    interaction.type === 'command'
      ? await requireUsableCommand(db, usedCommand(interaction).id, { userId, access })
      : { application: await requireBotInChannel(db, { applicationId, botId: bot.id }, access.channel) }
  const { fields, violations } = checkFields(modal, components)
  if (violations.length > 0) throw invalidAll(toFieldErrors(violations))
  const message =
    sourceMessage && (await findBotMessage(deps, { userId, channelId, messageId: sourceMessage.id }))
  return {
    application,
    name: modal.customId,
    sourceMessage,
    openedBy,
    event: {
      type: 'modal_submit',
      serverId,
      ...(message && { message: toEventMessage(message) }),
      data: {
        customId: modal.customId,
        components: fields.map(field => ({ type: 'text_input', ...field })),
      },
    },
  }
}

function usedCommand({ event }: InteractionRecord): CommandInteraction['data'] {
  return event.data as CommandInteraction['data']
}
