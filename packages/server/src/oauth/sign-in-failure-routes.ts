import { SignInFailure } from '@gatehouse/protocol/oauth'
import { list } from '@gatehouse/protocol/wire'
import { ok, type Route, route } from '../http/route.ts'
import type { SignInFailures } from './sign-in-failures.ts'

export function signInFailureRoute(failures: Pick<SignInFailures, 'list'>): Route {
  return route('listSignInFailures', {
    summary: 'Lists the last 100 failures of sign-ins with an application of the user, the last one first.',
    tag: 'Developer console',
    caller: { session: true },
    responses: { 200: list(SignInFailure) },
    errors: ['not_found'],
    handle: async ({ caller, params }) => ok(await failures.list(caller.userId, params.id)),
  })
}
