import { maxEmail } from '@gatehouse/protocol/limits'
import type { SelfUser } from '@gatehouse/protocol/users'
import type { RequestInfo } from '../accounts/request-info.ts'
import type { CurrentSession } from '../accounts/sessions/index.ts'
import { packPath } from '../http/packed-path.ts'
import { DecryptionError } from '../kit/seal.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { findSelfUser } from './claims.ts'
import type { Deps } from './oauth-deps.ts'
import { RedirectableError } from './oauth-errors.ts'
import type { Parameters } from './parameters.ts'
import { appendQuery } from './redirect-uri.ts'

/** The browser that sent a request. */
export interface Browser {
  /** See `browserOf`. */
  id: string
  currentSession: CurrentSession | undefined
  request: RequestInfo
}

/** The signed-in user of an authorization request. */
export interface EndUser {
  currentSession: CurrentSession
  session: { id: string; userId: string; authTime: number; amr: string[] }
  user: SelfUser
  start: RequestStart
  request: RequestInfo
}

/** What a form token is bound to: the session with its user, and the request (sign-in/form-token). */
export interface FormBindings {
  session: string
  request: string
}

export function bindingsOf(session: { id: string; userId: string }, request: string): FormBindings {
  return { session: `${session.id} ${session.userId}`, request }
}

/** When an authorization request arrived for the first time. */
export interface RequestStart {
  /** Milliseconds. */
  time: number
  /** Whether the request has returned from the sign-in or the consent page. */
  returned: boolean
  browserId: string
}

/**
 * A parameter that this service adds to the request. It carries the sealed time of the first arrival through the
 * sign-in and the consent page.
 */
export const startParameter = '_started'

/** The time after which a request that returns from the pages counts as a new one. */
const requestLifeMs = 60 * 60 * 1000

/**
 * A request without a valid start starts now. The sealed time is valid only for the same request in the same browser:
 * otherwise a link with an old start would replace the sign-in that `prompt=login` requires (sign-in/request-start).
 */
export function readRequestStart(
  { sealer, clock }: Pick<Deps, 'sealer' | 'clock'>,
  parameters: Parameters,
  browserId: string,
): RequestStart {
  const now = clock()
  const sealed = parameters.get(startParameter)
  if (sealed !== undefined) {
    try {
      const time = Number(sealer.open(sealed, sealContextOf(parameters, browserId)))
      if (time <= now && now - time < requestLifeMs) return { time, returned: true, browserId }
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error
    }
  }
  return { time: now, returned: false, browserId }
}

export function withRequestStart(
  { sealer }: Pick<Deps, 'sealer'>,
  parameters: Parameters,
  { time, browserId }: RequestStart,
): Parameters {
  return parameters.with(startParameter, sealer.seal(String(time), sealContextOf(parameters, browserId)))
}

function sealContextOf(parameters: Parameters, browserId: string): string {
  return `oauth:started:${browserId}:${parameters.without(startParameter)}`
}

/** Undefined if the session has ended or the user no longer exists. */
export async function findEndUser(
  deps: Deps,
  parameters: Parameters,
  { id, currentSession, request }: Browser,
): Promise<EndUser | undefined> {
  const { db, sessions } = deps
  const session = currentSession && (await sessions.findSession(db, currentSession.sessionId))
  const user = session && (await findSelfUser(db, session.userId))
  return user && { currentSession, session, user, start: readRequestStart(deps, parameters, id), request }
}

/**
 * Core §3.1.2.1: returns undefined if the expected user has signed in recently enough, otherwise the location of the
 * sign-in page. Throws RedirectableError if no page may be shown, or if another user signed in on that page.
 */
export async function checkEndUser(
  deps: Deps,
  parameters: Parameters,
  request: AuthorizationRequest,
  { session, start }: EndUser,
): Promise<string | undefined> {
  const { hintedSubject } = request
  const isExpected = hintedSubject === undefined || hintedSubject === session.userId
  if (isExpected && isRecentSignIn(session.authTime, request, start)) return undefined
  if (request.prompt.has('none')) {
    throw new RedirectableError('login_required', 'The user must sign in again.')
  }
  if (!isExpected && hasSignedInSince(start, session.authTime)) {
    throw new RedirectableError('login_required', 'Another user than that of the id_token_hint signed in.')
  }
  const hinted = hintedSubject === undefined ? undefined : await findSelfUser(deps.db, hintedSubject)
  return signInPath(withRequestStart(deps, parameters, start), {
    reauthenticate: true,
    loginHint: hinted?.username,
  })
}

/**
 * Whether the sign-in is as recent as `prompt=login` and `max_age` require. The age is measured from the start of the
 * request, so that it does not expire while the user reads the consent page.
 */
function isRecentSignIn(authTime: number, request: AuthorizationRequest, start: RequestStart): boolean {
  if (hasSignedInSince(start, authTime)) return true
  if (request.prompt.has('login') || request.maxAge === 0) return false
  return request.maxAge === undefined || authTime >= start.time - request.maxAge * 1000
}

function hasSignedInSince(start: RequestStart, authTime: number): boolean {
  return start.returned && authTime > start.time
}

/** A longer path is packed, so that the sign-in page has a URL of about the length of the request (sign-in/state). */
const maxPlainPath = 2000

/** The sign-in page that returns to the request. `reauthenticate` shows it to a user who is already signed in. */
export function signInPath(
  parameters: Parameters,
  { reauthenticate = false, loginHint }: { reauthenticate?: boolean; loginHint?: string | undefined } = {},
): string {
  const path = `/oauth2/authorize?${parameters}`
  const hint = loginHint ?? parameters.get('login_hint')
  return appendQuery('/login', {
    return_to: path.length > maxPlainPath ? packPath(path) : path,
    reauthenticate: reauthenticate ? '1' : undefined,
    login_hint: hint !== undefined && hint.length <= maxEmail ? hint : undefined,
  })
}
