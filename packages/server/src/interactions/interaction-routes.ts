import { PathIds } from '@gatehouse/protocol/ids'
import {
  InteractionLogEntry,
  InteractionStatus,
  RunInteractionBody,
  RunInteractionResponse,
} from '@gatehouse/protocol/interactions'
import { defaultListLimit } from '@gatehouse/protocol/limits'
import { LimitQuery } from '@gatehouse/protocol/lists'
import { list } from '@gatehouse/protocol/wire'
import { ok, type Route, respond, route } from '../http/route.ts'
import type { Interactions } from './interactions.ts'

const common = { tag: 'Using commands and components', caller: { session: true } } as const

export function interactionsRoutes(interactions: Interactions): Route[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/api/interactions',
      operationId: 'createInteraction',
      summary: 'Runs a command, presses a button, uses a select menu or submits a modal.',
      body: RunInteractionBody,
      rates: ['interactions'],
      responses: { 202: RunInteractionResponse },
      // The last two only for a modal.
      errors: ['not_found', 'missing_permission', 'conflict', 'interaction_token_expired'],
      handle: async ({ caller, body }) => respond(202, await interactions.create(caller.userId, body)),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/api/interactions/:id',
      operationId: 'getInteraction',
      summary: 'Returns the status of an interaction of the user.',
      params: PathIds('id'),
      responses: { 200: InteractionStatus },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await interactions.getStatus(caller.userId, params.id)),
    }),
    route({
      method: 'GET',
      path: '/api/applications/:id/interactions',
      operationId: 'listInteractions',
      summary: 'Lists the latest interactions of an application: event, delivery and response.',
      tag: 'Developer console',
      caller: { session: true },
      params: PathIds('id'),
      query: LimitQuery,
      responses: { 200: list(InteractionLogEntry) },
      errors: ['not_found'],
      handle: async ({ caller, params, query }) =>
        ok(await interactions.listLog(caller.userId, params.id, query.limit ?? defaultListLimit)),
    }),
  ]
}
