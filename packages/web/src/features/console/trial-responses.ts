import type { TryResponse } from '@gatehouse/protocol/interactions'
import type { Message } from '@gatehouse/protocol/messages'
import { compareIds, type Timeline } from '../../core/stores/timeline.ts'

/**
 * The messages with which a bot responded to its user since a trial began, oldest first. The response of the trial
 * itself is one of them, also before its event, unless the user dismissed it.
 */
export function listResponses(
  { messages, detached, deletedIds }: Pick<Timeline, 'messages' | 'detached' | 'deletedIds'>,
  { event, message }: TryResponse,
  botId: string,
): Message[] {
  const found = [...messages, ...detached].filter(
    ({ author, interaction }) =>
      author.id === botId &&
      interaction?.user.id === event.user.id &&
      compareIds(interaction.id, event.id) >= 0,
  )
  const isMissing =
    message !== null && !deletedIds.has(message.id) && found.every(({ id }) => id !== message.id)
  return [...(isMissing ? [message] : []), ...found].toSorted((a, b) => compareIds(a.id, b.id))
}
