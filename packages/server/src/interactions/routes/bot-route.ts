import { Id } from '@gatehouse/protocol/ids'
import { Type } from '@gatehouse/protocol/type'
import type { BotCaller } from '../../http/caller.ts'

/** Common to the routes with which a bot responds to an interaction. `findByToken` of `response-context.ts` checks the token. */
export const botRoute = { tag: 'Bots', caller: { bot: true }, exemptFromRequestRate: true } as const

const interaction = { id: Id, token: Type.String({ description: 'The token of the event.' }) }
export const InteractionParams = Type.Object(interaction)
export const FollowupParams = Type.Object({ ...interaction, messageId: Id })

export function toResponseCredentials<Params extends { id: string; token: string }>(
  { applicationId }: BotCaller,
  params: Params,
) {
  return { applicationId, ...params }
}
