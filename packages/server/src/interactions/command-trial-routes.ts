import { TryBody, TryResponse } from '@gatehouse/protocol/interactions'
import { ok, type Route, route } from '../http/route.ts'
import { tryCommand } from './command-trial.ts'

export function commandTrialRoute(deps: Parameters<typeof tryCommand>[0]): Route {
  return route('tryCommand', {
    summary:
      'Runs a command of an application of the user with the given response. Only the user sees the response.',
    tag: 'Developer console',
    caller: { session: true },
    body: TryBody,
    rates: ['interactions'],
    responses: { 200: TryResponse },
    errors: ['not_found', 'missing_permission'],
    handle: async ({ caller, params, body }) =>
      ok(await tryCommand(deps, { ownerId: caller.userId, applicationId: params.id }, body)),
  })
}
