import { granted, mayBeSilent } from '../consent.ts'
import { choicesFor } from '../installing.ts'
import type { Parameters } from '../parameters.ts'
import { isInstallation } from '../scopes.ts'
import { refused, success } from './answers.ts'
import { startedParameter, startOf, withStart } from './freshness.ts'
import { grant, issueSilently } from './grant.ts'
import {
  type AuthorizeDeps,
  type ConsentScreen,
  type Decision,
  type Outcome,
  redirect,
  type Visit,
} from './outcome.ts'
import { asksForNoPage } from './prompt.ts'
import { dead, Refusal } from './refusal.ts'
import { type AuthorizationRequest, readRequest, readTarget } from './request.ts'
import { checkSignIn, signIn, visitOf } from './sign-in.ts'

/** A request arrived from a browser, with `sessionId` where somebody is signed in. Throws AppError for a page. */
export async function authorize(
  deps: AuthorizeDeps,
  parameters: Parameters,
  sessionId: string | undefined,
): Promise<Outcome> {
  return answer(deps, parameters, sessionId, async (request, visit) => {
    if (mayBeSilent(request, deps.confirmUnverifiedApps)) {
      const code = await issueSilently(deps, request, visit)
      if (code !== undefined) return redirect(success(deps, request, { code }))
    }
    if (request.prompt.has('none')) {
      const error = request.scopes.meanings.some(isInstallation) ? 'interaction_required' : 'consent_required'
      throw new Refusal(error, 'The person has to be asked, and prompt=none forbids it.')
    }
    return screen(deps, parameters, request, visit)
  })
}

/**
 * The person decided on the screen. `checkForm` throws where the form is not theirs. The request is judged again from the
 * start: what was shown is what is used (check 46).
 */
export async function decide(
  deps: AuthorizeDeps,
  parameters: Parameters,
  sessionId: string | undefined,
  decision: Decision,
  checkForm: (bindings: ConsentScreen['bindings']) => void,
): Promise<Outcome> {
  return answer(deps, parameters, sessionId, async (request, visit) => {
    checkForm(bindingsOf(parameters, visit))
    if (!decision.allow) throw new Refusal('access_denied', 'The person did not allow it.')
    const scopes = granted(request.scopes, decision.ticked)
    const given = await grant(deps, request, visit, scopes, decision.serverId)
    return redirect(success(deps, request, given))
  })
}

/** What every request goes through, whichever of the two it is. */
async function answer(
  deps: AuthorizeDeps,
  parameters: Parameters,
  sessionId: string | undefined,
  proceed: (request: AuthorizationRequest, visit: Visit) => Promise<Outcome>,
): Promise<Outcome> {
  checkLength(parameters)
  const target = await readTarget(deps.db, parameters)
  const visit = await visitOf(deps, parameters, sessionId)
  const silent = asksForNoPage(parameters)
  // D73: nobody is sent on to an application's address before they have signed in, errors included.
  if (!visit && !silent) return signIn(deps, parameters, startOf(deps.sealer, deps.clock, parameters))
  try {
    const request = await readRequest(deps.subjectOfHint, parameters, target)
    if (!visit) throw new Refusal('login_required', 'Nobody is signed in, and prompt=none forbids to ask.')
    const stop = await checkSignIn(deps, parameters, request, visit)
    return stop ?? (await proceed(request, visit))
  } catch (thrown) {
    return refused(deps, target, thrown)
  }
}

async function screen(
  deps: AuthorizeDeps,
  parameters: Parameters,
  request: AuthorizationRequest,
  visit: Visit,
): Promise<Outcome> {
  const installs = request.scopes.meanings.some(isInstallation)
  return {
    kind: 'consent',
    request,
    person: visit.person,
    bindings: bindingsOf(parameters, visit),
    parameters: withStart(deps.sealer, parameters, visit.start),
    choices: installs ? await choicesFor(deps.db, deps.installing, visit.person.id, request) : [],
  }
}

function bindingsOf(parameters: Parameters, { session }: Visit): ConsentScreen['bindings'] {
  return {
    session: `${session.id} ${session.userId}`,
    request: `consent?${parameters.without(startedParameter)}`,
  }
}

/** The request goes through the address of the sign-in page and back: what does not fit there would be lost on the way. */
export function checkLength(parameters: Parameters): Parameters {
  if (parameters.toString().length > 6000) throw dead('The link that led here is too long.')
  return parameters
}
