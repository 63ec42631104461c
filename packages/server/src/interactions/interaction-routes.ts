import {
  InteractionLogEntry,
  InteractionStatus,
  RunInteractionBody,
  RunInteractionResponse,
} from '@gatehouse/protocol/interactions'
import { defaultListLimit } from '@gatehouse/protocol/limits'
import { LimitQuery } from '@gatehouse/protocol/lists'
import { list } from '@gatehouse/protocol/wire'
import { ok, type Route, respond, route, routeGroup } from '../http/route.ts'
import type { Interactions } from './interactions.ts'

const userRoute = routeGroup({ tag: 'Using commands and components', caller: { session: true } })

export function interactionRoutes(interactions: Interactions): Route[] {
  return [
    userRoute('createInteraction', {
      summary: 'Runs a command, presses a button, uses a select menu or submits a modal.',
      body: RunInteractionBody,
      rates: ['interactions'],
      responses: { 202: RunInteractionResponse },
      // The last two only for a modal.
      errors: [
        ...([
          'not_found',
          'missing_permission',
          'email_not_verified',
          'member_too_new',
          'cannot_message_user',
        ] as const),
        ...(['conflict', 'interaction_token_expired'] as const),
      ],
      handle: async ({ caller, body }) => respond(202, await interactions.create(caller.userId, body)),
    }),
    userRoute('getInteraction', {
      summary: 'Returns the status of an interaction of the user.',
      responses: { 200: InteractionStatus },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await interactions.getStatus(caller.userId, params.id)),
    }),
    route('listInteractions', {
      summary: 'Lists the latest interactions of an application: event, delivery and response.',
      tag: 'Developer console',
      caller: { session: true },
      query: LimitQuery,
      responses: { 200: list(InteractionLogEntry) },
      errors: ['not_found'],
      handle: async ({ caller, params, query }) =>
        ok(await interactions.listLog(caller.userId, params.id, query.limit ?? defaultListLimit)),
    }),
  ]
}
