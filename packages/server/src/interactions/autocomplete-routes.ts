import { AutocompleteBody, AutocompleteResponse } from '@gatehouse/protocol/interactions'
import { ok, type Route, route } from '../http/route.ts'
import type { Autocomplete } from './autocomplete.ts'

export function autocompleteRoute(autocomplete: Autocomplete): Route {
  return route('autocompleteOption', {
    summary:
      'Asks the bot for choices of an option while the user types, and waits up to 3 seconds for them.',
    tag: 'Using commands and components',
    caller: { session: true },
    body: AutocompleteBody,
    rates: ['autocompletes'],
    waitsForBot: true,
    responses: { 200: AutocompleteResponse },
    errors: [
      'not_found',
      'missing_permission',
      'email_not_verified',
      'member_too_new',
      'interaction_timed_out',
      'interaction_not_answered',
    ],
    async handle({ caller, body, reply }) {
      const left = new AbortController()
      reply.raw.once('close', () => left.abort())
      return ok({ choices: await autocomplete.request(caller.userId, body, left.signal) })
    },
  })
}
