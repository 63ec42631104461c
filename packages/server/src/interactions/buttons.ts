import type { Button, Row } from '@gatehouse/protocol/components'
import { invalid, notFound } from '../kit/app-error.ts'
import type { MessageRef } from './interactions-store.ts'
import type { ResponseDeps } from './response-context.ts'

/** A message with a button that the user may press. */
export interface ButtonMessage {
  ref: MessageRef
  applicationId: string
  /** Its author. */
  botId: string
  content: string
  components: Row[]
}

interface Press {
  userId: string
  channelId: string
  messageId: string
  customId: string
}

/**
 * Finds a stored message of the channel or an ephemeral message of the user. Throws 404 if there is no such button, and
 * 400 if it is disabled (bots/button-message-deleted, bots/button-refusals).
 */
export async function findButtonMessage(deps: ResponseDeps, press: Press): Promise<ButtonMessage> {
  const message = (await findStoredMessage(deps, press)) ?? (await findEphemeralMessage(deps, press))
  const button = message && findButton(message.components, press.customId)
  if (!button) throw notFound()
  if (button.disabled === true) throw invalid('customId', 'disabled', 'must be the id of an enabled button')
  return message
}

async function findStoredMessage(
  { db, messages }: ResponseDeps,
  { channelId, messageId }: Press,
): Promise<ButtonMessage | undefined> {
  const message = await messages.findButtons(db, channelId, messageId)
  if (!message || message.applicationId === null) return undefined
  const { applicationId, authorId: botId, content, components } = message
  return { ref: { id: messageId, ephemeral: false }, applicationId, botId, content, components }
}

async function findEphemeralMessage(
  { ephemerals }: ResponseDeps,
  { userId, channelId, messageId }: Press,
): Promise<ButtonMessage | undefined> {
  const record = await ephemerals.find(messageId)
  if (record?.userId !== userId || record.message.channelId !== channelId) return undefined
  const { author, content, components } = record.message
  const { applicationId } = record
  return { ref: { id: messageId, ephemeral: true }, applicationId, botId: author.id, content, components }
}

/** Never finds a link button, which has no `customId`. */
function findButton(components: readonly Row[], customId: string): Button | undefined {
  return components.flatMap(row => row.components).find(button => button.customId === customId)
}
