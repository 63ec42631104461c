import { Id } from '@gatehouse/protocol/ids'
import { object, string } from '@gatehouse/protocol/wire'
import type { BotCaller } from '../http/caller.ts'

/** Common to the routes with which a bot responds to an interaction. `findByToken` of `response-context.ts` checks the token. */
export const botRoute = { tag: 'Bots', caller: { bot: true }, exemptFromRequestRate: true } as const

const interaction = { id: Id, token: string('The token of the event.') }
export const InteractionParams = object(interaction)
export const FollowupParams = object({ ...interaction, messageId: Id })

export function toResponseCredentials<Params extends { id: string; token: string }>(
  { applicationId }: BotCaller,
  params: Params,
) {
  return { applicationId, ...params }
}
