import { Id } from '@gatehouse/protocol/ids'
import { Type } from '@gatehouse/protocol/type'
import type { BotCaller } from '../../http/caller.ts'
import type { Answerer } from '../index.ts'

/** What the routes have in common by which a bot responds. */
export const responding = { tag: 'Bots', caller: { bot: true } } as const

const interaction = { id: Id, token: Type.String({ description: 'The token of the event.' }) }
export const OfInteraction = Type.Object(interaction)
export const OfFollowup = Type.Object({ ...interaction, messageId: Id })

export function answererOf(
  { userId, applicationId }: BotCaller,
  { id, token }: { id: string; token: string },
): Answerer {
  return { userId, applicationId, id, token }
}
