import { ResponseData } from '@gatehouse/protocol/interactions'
import { Message, UpdateMessageBody } from '@gatehouse/protocol/messages'
import { noContent, ok, type Route, route } from '../../http/route.ts'
import type { Interactions } from '../index.ts'
import { answererOf, OfFollowup, OfInteraction, responding } from './responding.ts'

const errors = [
  'not_found',
  'interaction_not_answered',
  'interaction_timed_out',
  'interaction_token_expired',
] as const

/** `/api/interactions/:id/:token/followup` and `…/followup/:messageId` */
export function followupRoute({ interactions }: { interactions: Interactions }): Route[] {
  return [
    route({
      ...responding,
      method: 'POST',
      path: '/api/interactions/:id/:token/followup',
      summary: "Another message; the first one after defer takes the placeholder's place.",
      params: OfInteraction,
      body: ResponseData,
      answers: { 200: Message },
      errors,
      handle: async ({ caller, params, body }) =>
        ok(await interactions.followup(answererOf(caller, params), body)),
    }),
    route({
      ...responding,
      method: 'PATCH',
      path: '/api/interactions/:id/:token/followup/:messageId',
      summary: 'Edits a follow-up.',
      params: OfFollowup,
      body: UpdateMessageBody,
      answers: { 200: Message },
      errors,
      handle: async ({ caller, params, body }) => {
        const { messageId } = params
        return ok(await interactions.edit({ ...answererOf(caller, params), messageId }, body))
      },
    }),
    route({
      ...responding,
      method: 'DELETE',
      path: '/api/interactions/:id/:token/followup/:messageId',
      summary: 'Deletes a follow-up.',
      params: OfFollowup,
      answers: { 204: null },
      errors,
      handle: async ({ caller, params }) => {
        const { messageId } = params
        await interactions.remove({ ...answererOf(caller, params), messageId })
        return noContent()
      },
    }),
  ]
}
