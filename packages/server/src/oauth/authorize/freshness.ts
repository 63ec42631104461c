import type { Clock } from '../../kit/clock.ts'
import { SealBroken, type Sealer } from '../../kit/seal.ts'
import type { Parameters } from '../parameters.ts'
import type { AuthorizationRequest } from './request.ts'

/** The parameter of our own that goes through the sign-in and the consent page with the request. */
export const startedParameter = '_started'

/** How long a request may take on its way through the pages. */
const lifeMs = 60 * 60 * 1000

/** When a request first came. */
export interface Start {
  at: number
  /** It went through one of our pages since. */
  returned: boolean
}

/** Reads the time that was sealed into the request; a new request starts now. It opens with this very request only. */
export function startOf(sealer: Sealer, clock: Clock, parameters: Parameters): Start {
  const now = clock()
  const sealed = parameters.get(startedParameter)
  if (sealed !== undefined) {
    try {
      const at = Number(sealer.open(sealed, contextOf(parameters)))
      if (at <= now && now - at < lifeMs) return { at, returned: true }
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error
    }
  }
  return { at: now, returned: false }
}

/** The request with the time of its start. */
export function withStart(sealer: Sealer, parameters: Parameters, start: Start): Parameters {
  return parameters.with(startedParameter, sealer.seal(String(start.at), contextOf(parameters)))
}

/** Has the person proved who they are since the request came? */
export function signedInSince(session: { authTime: number }, start: Start): boolean {
  return start.returned && session.authTime > start.at
}

/**
 * Core §3.1.2.1: whether the sign-in is as recent as `prompt=login` and `max_age` ask. Measured from the start of the
 * request, so that nobody who reads the consent page at leisure is sent back for it.
 */
export function isFresh(session: { authTime: number }, request: AuthorizationRequest, start: Start): boolean {
  if (signedInSince(session, start)) return true
  if (request.prompt.has('login') || request.maxAge === 0) return false
  return request.maxAge === undefined || session.authTime >= start.at - request.maxAge * 1000
}

function contextOf(parameters: Parameters): string {
  return `oauth:started:${parameters.without(startedParameter)}`
}
