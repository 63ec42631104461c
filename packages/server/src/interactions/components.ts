import type { Component, Row } from '@gatehouse/protocol/components'
import { invalid, notFound } from '../kit/app-error.ts'
import type { MessageRef } from './interactions-store.ts'
import type { ResponseDeps } from './response-context.ts'

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
export interface ComponentMessage extends BotMessage {
  component: Component
}

interface Place {
  userId: string
  channelId: string
  messageId: string
}

/**
 * Finds the message of an enabled component. Throws 404 if there is no such component, and 400 if it is disabled
 * (bots/button-message-deleted, bots/button-refusals). Does not check that the user may view the channel.
 */
export async function findComponentMessage(
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
