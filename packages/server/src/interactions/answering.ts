import type { Message } from '@gatehouse/protocol/messages'
import type { User } from '@gatehouse/protocol/users'
import { notFound } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import { findChannel } from '../platform/channels/index.ts'
import type { Messages, NewMessage } from '../platform/messages/index.ts'
import { findUser, userView } from '../platform/users/index.ts'
import type { Database } from '../storage/database.ts'
import type { Deliveries } from './delivery.ts'
import type { EphemeralRecord, Ephemerals } from './ephemeral.ts'
import { findForBot, mentionOf } from './interaction.ts'
import type { Progress } from './progress.ts'
import type { InteractionRecord } from './store.ts'
import type { Words } from './words.ts'

export interface AnsweringDeps {
  db: Database
  clock: Clock
  ids: () => string
  messages: Messages
  ephemerals: Ephemerals
  deliveries: Pick<Deliveries, 'settled'>
  progress: Progress
}

/** The bot as http/authenticate found it, and the two secrets of the address. */
export interface Answerer {
  userId: string
  applicationId: string
  id: string
  token: string
}

/** A bot that may respond to an interaction. */
export interface Answering {
  interaction: InteractionRecord
  bot: User
  botId: string
  channelId: string
  serverId: string | null
}

/** 404 as `findForBot`, and where the channel is gone (check 79). */
export async function answering({ db }: Pick<AnsweringDeps, 'db'>, answerer: Answerer): Promise<Answering> {
  const interaction = await findForBot(db, answerer, answerer)
  const { channelId, serverId } = interaction
  const [bot, channel] = await Promise.all([findUser(db, answerer.userId), findChannel(db, channelId)])
  if (!bot || !channel) throw notFound()
  return { interaction, bot: userView(bot), botId: bot.id, channelId, serverId }
}

/** A message that is to be stored, as the bot says it in response. */
export function storedMessage(by: Answering, words: Words, state: 'sent' | 'deferred'): NewMessage {
  const { interaction, bot, channelId, serverId } = by
  return {
    channelId,
    serverId,
    author: bot,
    ...words,
    state,
    interaction: mentionOf(interaction),
    applicationId: interaction.applicationId,
  }
}

/** The same as an ephemeral one (D30). */
export function ephemeralMessage(
  { clock, ids }: Pick<AnsweringDeps, 'clock' | 'ids'>,
  by: Answering,
  words: Words,
  state: 'sent' | 'deferred',
): EphemeralRecord {
  const { interaction, bot, channelId, serverId } = by
  const message: Message = {
    id: ids(),
    channelId,
    serverId,
    author: bot,
    ...words,
    createdAt: new Date(clock()).toISOString(),
    editedAt: null,
    state,
    interaction: mentionOf(interaction),
    ephemeral: true,
  }
  const { userId, applicationId, id: interactionId, expiresAt } = interaction
  return { message, userId, applicationId, interactionId, expiresAt }
}

/** An ephemeral message with other words; what takes a placeholder's place is not an edit (D60). */
export function reworded(message: Message, words: Words, now: number): Message {
  const editedAt = message.state === 'sent' ? new Date(now).toISOString() : message.editedAt
  return { ...message, ...words, state: 'sent', editedAt }
}
