import type { Component, Row } from '@gatehouse/protocol/components'
import type { ComponentInteraction, RunInteractionBody } from '@gatehouse/protocol/interactions'
import { requireActiveMember } from '../community/permissions/index.ts'
import { invalid, notFound } from '../errors/app-error.ts'
import { withoutComponentIds } from '../events/component-ids.ts'
import { requireBotInChannel } from './channel-bot.ts'
import type { MessageRef } from './interaction-store.ts'
import type { Use, UserInChannel } from './interaction-use.ts'
import { createEntityLookup } from './resolved-entities.ts'
import type { ResponseDeps } from './response-context.ts'
import { resolveSelect } from './select-values.ts'

/** A message of a bot, with its author. */
export interface BotMessage {
  ref: MessageRef
  applicationId: string
  /** Its author. */
  botId: string
  content: string
  components: Row[]
}

/** A message with an enabled button or select menu. */
interface ComponentMessage extends BotMessage {
  component: Component
}

interface Place {
  userId: string
  channelId: string
  messageId: string
}

/**
 * Checks the use of a button or select menu (bots/button-refusals, bots/select-values). Throws 400, 403 or 404.
 *
 * The user needs VIEW_CHANNEL only. SEND_MESSAGES and USE_COMMANDS are not required: they control who may start a bot
 * with a command, while a component was offered by the bot itself, in a message that the user can read, and works in
 * direct messages, which have no permissions. Discord has the same rule. A member who is timed out cannot use
 * components (community/timeouts).
 */
export async function resolveComponent(
  deps: ResponseDeps,
  { userId, access }: UserInChannel,
  { messageId, customId, values }: Extract<RunInteractionBody, { type: 'component' }>,
): Promise<Use> {
  const { id: channelId, serverId } = access.channel
  requireActiveMember(access)
  const message = await findComponentMessage(deps, { userId, channelId, messageId, customId })
  const application = await requireBotInChannel(deps.db, message, access.channel)
  const data = await resolveData(deps, message.component, values, { userId, channelId, serverId })
  return {
    application,
    name: customId,
    sourceMessage: message.ref,
    openedBy: null,
    event: { type: 'component', serverId, data, message: toEventMessage(message) },
  }
}

async function resolveData(
  { db, clock }: ResponseDeps,
  component: Component,
  values: readonly string[] | undefined,
  place: { userId: string; channelId: string; serverId: string | null },
): Promise<ComponentInteraction['data']> {
  if (component.type !== 'button') {
    return resolveSelect(createEntityLookup(db, clock(), place), component, values)
  }
  if (values !== undefined) throw invalid('values', 'not_allowed', 'is accepted only for a select menu')
  return { customId: component.customId ?? '', componentType: 'button' }
}

/** `message` of INTERACTION_CREATE. */
export function toEventMessage({ ref, content, components }: BotMessage): ComponentInteraction['message'] {
  return { id: ref.id, content, components: withoutComponentIds(components) }
}

/**
 * Finds the message of an enabled component. Throws 404 if there is no such component, and 400 if it is disabled
 * (bots/button-message-deleted, bots/button-refusals).
 */
async function findComponentMessage(
  deps: ResponseDeps,
  { customId, ...place }: Place & { customId: string },
): Promise<ComponentMessage> {
  const message = await findBotMessage(deps, place)
  const component = message && findComponent(message.components, customId)
  if (!component) throw notFound()
  if (component.disabled === true) {
    throw invalid('customId', 'disabled', 'must be the id of an enabled button or select menu')
  }
  return { ...message, component }
}

/** Finds a stored message of the channel or an ephemeral message of the user. */
export async function findBotMessage(deps: ResponseDeps, place: Place): Promise<BotMessage | undefined> {
  return (await findStoredMessage(deps, place)) ?? (await findEphemeralMessage(deps, place))
}

async function findStoredMessage(
  { db, messages }: ResponseDeps,
  { channelId, messageId }: Place,
): Promise<BotMessage | undefined> {
  const message = await messages.findComponents(db, channelId, messageId)
  if (!message || message.applicationId === null) return undefined
  const { applicationId, authorId: botId, content, components } = message
  return { ref: { id: messageId, ephemeral: false }, applicationId, botId, content, components }
}

async function findEphemeralMessage(
  { ephemerals }: ResponseDeps,
  { userId, channelId, messageId }: Place,
): Promise<BotMessage | undefined> {
  const record = await ephemerals.find(messageId)
  if (record?.userId !== userId || record.message.channelId !== channelId) return undefined
  const { author, content, components } = record.message
  const { applicationId } = record
  return { ref: { id: messageId, ephemeral: true }, applicationId, botId: author.id, content, components }
}

/** Never finds a link button, which has no `customId`. */
function findComponent(components: readonly Row[], customId: string): Component | undefined {
  return components.flatMap(row => row.components).find(component => component.customId === customId)
}
