import { Id } from '@gatehouse/protocol/ids'
import { object, string } from '@gatehouse/protocol/wire'
import type { BotCaller } from '../http/caller.ts'
import { routeGroup } from '../http/route.ts'

/**
 * Declares a route with which a bot responds to an interaction. `openContext` of `response-context.ts` checks the
 * token, and `response-rate.ts` counts the requests.
 */
export const botResponseRoute = routeGroup({
  tag: 'Bots',
  caller: { bot: true },
  exemptFromRequestRate: true,
})

/** The errors of the routes after the first response. */
export const responseErrors = [
  'not_found',
  'interaction_not_answered',
  'interaction_timed_out',
  'interaction_token_expired',
  'rate_limited',
] as const

/** Of the routes that send or edit a message. The operation counts the rate, as the channel is not in the path. */
export const sendErrors = [...responseErrors, 'cannot_message_user'] as const

const interaction = { id: Id, token: string('The token of the event.') }
export const InteractionParams = object(interaction)
export const FollowupParams = object({ ...interaction, messageId: Id })

export function toResponseCredentials<Params extends { id: string; token: string }>(
  { applicationId }: BotCaller,
  params: Params,
) {
  return { applicationId, ...params }
}
