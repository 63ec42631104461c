import { isId } from '@gatehouse/protocol/ids'
import type { SelfUser } from '@gatehouse/protocol/users'
import type { SessionRecord } from '../accounts/sessions/index.ts'
import { type ApplicationRecord, findApplication, toUri } from '../applications/index.ts'
import { findSelfUser } from './claims.ts'
import { bindingsOf, type FormBindings } from './end-user.ts'
import type { IdTokenHint, IdTokens } from './id-token.ts'
import type { Deps } from './oauth-deps.ts'
import { nonRedirectableError } from './oauth-errors.ts'
import type { Parameters } from './parameters.ts'
import { appendQuery, isRegisteredRedirectUri } from './redirect-uri.ts'

/** `ended`: a session has ended, so the session cookie must be deleted. */
export type LogoutResult =
  | { kind: 'redirect'; location: string; ended: boolean }
  | ConfirmScreen
  | {
      kind: 'signed-out'
      client: ApplicationRecord | undefined
      /** The link that the page offers. */
      location: string | undefined
      ended: boolean
    }

/** The data of the page that asks the user to confirm the logout. */
export interface ConfirmScreen {
  kind: 'confirm'
  client: ApplicationRecord | undefined
  user: SelfUser
  redirectUri: string | undefined
  /** Whether the redirect URI of the request is not registered. */
  isUnregistered: boolean
  bindings: FormBindings
  parameters: Parameters
}

interface LogoutRequest {
  /** Undefined if the request has neither a client_id nor an id_token_hint. */
  client: ApplicationRecord | undefined
  hint: IdTokenHint | undefined
  redirectUri: string | undefined
  /** The browser then stays here (sign-in/post-logout-unregistered). */
  isUnregistered: boolean
  state: string | undefined
}

const knownParameters = [
  'id_token_hint',
  'logout_hint',
  'client_id',
  'post_logout_redirect_uri',
  'state',
  'ui_locales',
]

export type LogoutEndpoint = ReturnType<typeof createLogoutEndpoint>

/** RP-initiated logout (OpenID Connect RP-Initiated Logout §2). */
export function createLogoutEndpoint({ db, sessions }: Deps, idTokens: Pick<IdTokens, 'readHint'>) {
  /**
   * Signs the user out, or returns a page that asks for confirmation. No page is needed if the id_token_hint is of the
   * signed-in user and the redirect URI is registered, or if no user is signed in. Throws AppError if the request is
   * invalid.
   */
  async function start(parameters: Parameters, sessionId: string | undefined): Promise<LogoutResult> {
    const request = await readLogoutRequest(parameters)
    const session = sessionId === undefined ? undefined : await sessions.findSession(db, sessionId)
    const user = session && (await findSelfUser(db, session.userId))
    if (!session || !user) return resultOf(request, false)
    if (isSessionOf(request.hint, session) && !request.isUnregistered) return endSession(request, session)
    return {
      kind: 'confirm',
      client: request.client,
      user,
      redirectUri: request.redirectUri,
      isUnregistered: request.isUnregistered,
      bindings: bindingsOf(session, `logout?${parameters}`),
      parameters,
    }
  }

  /**
   * The user submitted the confirmation page. `checkForm` throws if the form token is not bound to `bindings`. The
   * request is validated again.
   */
  async function confirm(
    parameters: Parameters,
    sessionId: string | undefined,
    checkForm: (bindings: FormBindings) => void,
  ): Promise<LogoutResult> {
    const request = await readLogoutRequest(parameters)
    const session = sessionId === undefined ? undefined : await sessions.findSession(db, sessionId)
    if (!session) return resultOf(request, false)
    checkForm(bindingsOf(session, `logout?${parameters}`))
    return endSession(request, session)
  }

  async function endSession(request: LogoutRequest, { id }: SessionRecord): Promise<LogoutResult> {
    await db.transaction(tx => sessions.revokeSession(tx, id))
    return resultOf(request, true)
  }

  /** RP-Initiated Logout §2, §3 and §4: an error gets a page, never a redirect. Throws AppError. */
  async function readLogoutRequest(parameters: Parameters): Promise<LogoutRequest> {
    if (parameters.findInvalid(knownParameters) !== undefined)
      throw nonRedirectableError('error.linkMalformed')
    const hint = await readHint(parameters)
    const client = await readClient(parameters, hint)
    const redirectUri = readRedirectUri(parameters, client)
    return {
      client,
      hint,
      redirectUri,
      isUnregistered: redirectUri === undefined && parameters.get('post_logout_redirect_uri') !== undefined,
      state: parameters.getUnchanged('state'),
    }
  }

  async function readHint(parameters: Parameters): Promise<IdTokenHint | undefined> {
    const text = parameters.get('id_token_hint')
    if (text === undefined) return undefined
    const hint = await idTokens.readHint(text)
    if (hint === undefined) throw nonRedirectableError('error.idTokenHintUnknown')
    return hint
  }

  /** §2: client_id and id_token_hint must name the same client. */
  async function readClient(
    parameters: Parameters,
    hint: IdTokenHint | undefined,
  ): Promise<ApplicationRecord | undefined> {
    const id = parameters.get('client_id')
    if (id === undefined) return hint && findApplication(db, hint.applicationId)
    if (hint !== undefined && hint.applicationId !== id)
      throw nonRedirectableError('error.idTokenHintForeign')
    const client = isId(id) ? await findApplication(db, id) : undefined
    if (!client) throw nonRedirectableError('error.clientUnknown')
    return client
  }

  return { start, confirm }
}

/** §3: undefined unless it is registered; compared like redirect URIs (sign-in/redirect-uri-exact). */
function readRedirectUri(parameters: Parameters, client: ApplicationRecord | undefined): string | undefined {
  const sent = parameters.get('post_logout_redirect_uri')
  if (sent === undefined || !client) return undefined
  const uri = toUri(sent)
  const registered = { ...client, redirectUris: client.postLogoutRedirectUris }
  return isRegisteredRedirectUri(uri, registered) ? uri : undefined
}

/** §2: another user may be signed in now, or the same user with a new session. */
function isSessionOf(hint: IdTokenHint | undefined, session: SessionRecord): boolean {
  if (hint?.subject !== session.userId) return false
  return hint.sid === undefined || hint.sid === session.id
}

/**
 * Redirects to the client only if a session has ended or an ID token proves an earlier sign-in. Otherwise the page
 * shows a link, so that the endpoint is not an open redirector (RFC 9700 §4.11.2).
 */
function resultOf({ client, hint, redirectUri, state }: LogoutRequest, ended: boolean): LogoutResult {
  const location =
    redirectUri === undefined || state === undefined ? redirectUri : appendQuery(redirectUri, { state })
  if (location !== undefined && (ended || hint !== undefined)) return { kind: 'redirect', location, ended }
  return { kind: 'signed-out', client, location, ended }
}
