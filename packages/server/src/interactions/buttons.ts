import type { Button, Row } from '@gatehouse/protocol/components'
import { invalid, notFound } from '../kit/app-error.ts'
import type { Messages } from '../platform/messages/index.ts'
import type { Sql } from '../storage/database.ts'
import type { Ephemerals } from './ephemeral.ts'
import type { Place } from './store.ts'

/** A button that a person may press, with what the event says of its message. */
export interface Pressed {
  place: Place
  applicationId: string
  content: string
  components: Row[]
}

interface PressedDeps {
  messages: Pick<Messages, 'findMessage'>
  ephemerals: Pick<Ephemerals, 'find'>
}

/**
 * The button under a stored message of the channel, or under an ephemeral one of the person's own. 404 where there is no
 * such button, 400 where it is disabled (checks 75, 76).
 */
export async function findPressed(
  sql: Sql,
  { messages, ephemerals }: PressedDeps,
  press: { userId: string; channelId: string; messageId: string; customId: string },
): Promise<Pressed> {
  const pressed = (await storedMessage(sql, messages, press)) ?? (await ephemeralMessage(ephemerals, press))
  const button = pressed && buttonOf(pressed.components, press.customId)
  if (!button) throw notFound()
  if (button.disabled === true) throw invalid('customId', 'disabled', 'is of a button that is disabled')
  return pressed
}

async function storedMessage(
  sql: Sql,
  messages: PressedDeps['messages'],
  { channelId, messageId }: { channelId: string; messageId: string },
): Promise<Pressed | undefined> {
  const message = await messages.findMessage(sql, channelId, messageId)
  if (!message || message.applicationId === null) return undefined
  const { applicationId, content, components } = message
  return { place: { id: messageId, ephemeral: false }, applicationId, content, components }
}

async function ephemeralMessage(
  ephemerals: PressedDeps['ephemerals'],
  { userId, channelId, messageId }: { userId: string; channelId: string; messageId: string },
): Promise<Pressed | undefined> {
  const record = await ephemerals.find(messageId)
  if (record?.userId !== userId || record.message.channelId !== channelId) return undefined
  const { content, components } = record.message
  const { applicationId } = record
  return { place: { id: messageId, ephemeral: true }, applicationId, content, components }
}

/** A link has no customId: it never comes here. */
function buttonOf(components: readonly Row[], customId: string): Button | undefined {
  return components.flatMap(row => row.components).find(button => button.customId === customId)
}
