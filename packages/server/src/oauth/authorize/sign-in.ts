import type { Parameters } from '../parameters.ts'
import { findPerson } from '../people.ts'
import { withParameters } from '../redirect-uri.ts'
import { isFresh, type Start, signedInSince, startOf, withStart } from './freshness.ts'
import { type AuthorizeDeps, type Outcome, redirect, type Visit } from './outcome.ts'
import { Refusal } from './refusal.ts'
import type { AuthorizationRequest } from './request.ts'

/** Who is signed in; undefined where nobody is, or nobody any more. */
export async function visitOf(
  deps: AuthorizeDeps,
  parameters: Parameters,
  sessionId: string | undefined,
): Promise<Visit | undefined> {
  const session = sessionId === undefined ? undefined : await deps.sessions.findSession(deps.db, sessionId)
  const person = session && (await findPerson(deps.db, session.userId))
  return person && { session, person, start: startOf(deps.sealer, deps.clock, parameters) }
}

/** Core §3.1.2.1: the right person, who signed in recently enough. Undefined where they have. */
export async function checkSignIn(
  deps: AuthorizeDeps,
  parameters: Parameters,
  request: AuthorizationRequest,
  { session, start }: Visit,
): Promise<Outcome | undefined> {
  const { hintedSubject } = request
  const expected = hintedSubject === undefined || hintedSubject === session.userId
  if (expected && isFresh(session, request, start)) return undefined
  if (request.prompt.has('none')) throw new Refusal('login_required', 'The person has to sign in again.')
  if (!expected && signedInSince(session, start)) {
    throw new Refusal('login_required', 'Another person than that of the id_token_hint signed in.')
  }
  const hinted = hintedSubject === undefined ? undefined : await findPerson(deps.db, hintedSubject)
  return signIn(deps, parameters, start, { again: true, hint: hinted?.username })
}

/** To the sign-in page and back to this request, with the time at which it began. */
export function signIn(
  deps: AuthorizeDeps,
  parameters: Parameters,
  start: Start,
  options: { again?: boolean; hint?: string | undefined } = {},
): Outcome {
  return redirect(signInPath(withStart(deps.sealer, parameters, start), options))
}

/** The path of the sign-in page that leads back to the request. `again`: for who is signed in already. */
export function signInPath(
  parameters: Parameters,
  { again = false, hint }: { again?: boolean; hint?: string | undefined } = {},
): string {
  return withParameters('/login', {
    return_to: `/oauth2/authorize?${parameters}`,
    reauthenticate: again ? '1' : undefined,
    login_hint: hint ?? parameters.get('login_hint'),
  })
}
