import { Message, UpdateMessageBody } from '@gatehouse/protocol/messages'
import type { BotCaller } from '../../http/caller.ts'
import { noContent, ok, type Route, route } from '../../http/route.ts'
import type { Interactions, Which } from '../index.ts'
import { answererOf, OfInteraction, responding } from './responding.ts'

const common = {
  ...responding,
  path: '/api/interactions/:id/:token/original',
  params: OfInteraction,
  errors: ['not_found', 'interaction_not_answered', 'interaction_timed_out', 'interaction_token_expired'],
} as const

/** `/api/interactions/:id/:token/original` */
export function originalRoute({ interactions }: { interactions: Interactions }): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'The first response: what it made or changed.',
      answers: { 200: Message },
      handle: async ({ caller, params }) => ok(await interactions.read(whichOf(caller, params))),
    }),
    route({
      ...common,
      method: 'PATCH',
      summary: 'Edits the first response; after defer this is the answer.',
      body: UpdateMessageBody,
      answers: { 200: Message },
      handle: async ({ caller, params, body }) => ok(await interactions.edit(whichOf(caller, params), body)),
    }),
    route({
      ...common,
      method: 'DELETE',
      summary: 'Deletes the first response.',
      answers: { 204: null },
      handle: async ({ caller, params }) => {
        await interactions.remove(whichOf(caller, params))
        return noContent()
      },
    }),
  ]
}

function whichOf(caller: BotCaller, params: { id: string; token: string }): Which {
  return { ...answererOf(caller, params), messageId: undefined }
}
