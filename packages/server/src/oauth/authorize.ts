import { authorizationCodeSeconds } from '@gatehouse/protocol/limits'
import { formatPermissions } from '@gatehouse/protocol/permissions'
import type { SelfUser } from '@gatehouse/protocol/users'
import type { Clock } from '../kit/clock.ts'
import type { Sealer } from '../kit/seal.ts'
import { createToken, hashSecret, secretPrefixes } from '../kit/secret.ts'
import type { Sessions } from '../platform/sessions/index.ts'
import { findUsers } from '../platform/users/index.ts'
import type { Database, Transaction } from '../storage/database.ts'
import {
  type AuthorizationRequest,
  hasPromptNone,
  readAuthorizationRequest,
  readResponseTarget,
  requireShortQuery,
} from './authorization-request.ts'
import { errorLocation, successLocation } from './authorization-response.ts'
import { canSkipConsentPage, hasConsent, lockConsent, recordConsent, selectScopes } from './consent.ts'
import { nonRedirectableError, RedirectableError } from './errors.ts'
import { insertCode } from './grants-store.ts'
import type { IdTokens } from './id-token.ts'
import type { Installation, ServerChoice } from './installation.ts'
import type { Parameters } from './parameters.ts'
import { isInstallationScope, isUserScope, type Scopes } from './scopes.ts'
import {
  checkEndUser,
  type EndUser,
  findEndUser,
  readRequestStart,
  signInPath,
  startParameter,
  withRequestStart,
} from './sign-in.ts'

export type AuthorizationResult = { kind: 'redirect'; location: string } | ConsentScreen

/** The data of the consent page. */
export interface ConsentScreen {
  kind: 'consent'
  request: AuthorizationRequest
  user: SelfUser
  /** The usernames that identify the application: its developer, and its bot if it has one. */
  owner: { developer: string | undefined; bot: string | undefined }
  bindings: FormBindings
  /** The parameters that the form sends back. */
  parameters: Parameters
  /** The servers on which the user can install the application. Empty if nothing is installed. */
  choices: ServerChoice[]
}

/** What a form token is bound to: the session with its user, and the request (sign-in/form-token). */
export interface FormBindings {
  session: string
  request: string
}

/** The decision of the user on the consent page. */
export interface Decision {
  allow: boolean
  /** The optional scopes that are selected. */
  selectedScopes: readonly string[]
  serverId: string | undefined
}

/** The authorization endpoint and its consent page (RFC 6749 §3.1). */
export function createAuthorizationEndpoint(deps: {
  db: Database
  clock: Clock
  ids: () => string
  sealer: Sealer
  baseUrl: string
  sessions: Pick<Sessions, 'findSession'>
  installation: Pick<Installation, 'listServerChoices' | 'installApplication'>
  idTokens: Pick<IdTokens, 'findHintSubject'>
  confirmUnverifiedApps: boolean
  onError: (error: unknown) => void
}) {
  const { db, clock, ids, sealer, baseUrl, installation, idTokens, confirmUnverifiedApps } = deps

  /** Throws AppError if the error must not redirect (sign-in/errors-without-redirect). */
  function authorize(parameters: Parameters, sessionId: string | undefined): Promise<AuthorizationResult> {
    return handleRequest(parameters, sessionId, async (request, endUser) => {
      if (canSkipConsentPage(request, confirmUnverifiedApps)) {
        const code = await issueCodeWithConsent(request, endUser)
        if (code !== undefined) return redirectTo(successLocation(baseUrl, request, { code }))
      }
      if (request.prompt.has('none')) {
        const installs = request.scopes.canonical.some(isInstallationScope)
        const error = installs ? 'interaction_required' : 'consent_required'
        throw new RedirectableError(
          error,
          'The user must give consent, but prompt=none does not allow a page.',
        )
      }
      return consentScreen(parameters, request, endUser)
    })
  }

  /**
   * The user submitted the consent page. `checkForm` throws if the form token is not bound to `bindings`. The request is
   * validated again, so that the page and the code have the same parameters (sign-in/consent-parameters).
   */
  function decide(
    parameters: Parameters,
    sessionId: string | undefined,
    decision: Decision,
    checkForm: (bindings: FormBindings) => void,
  ): Promise<AuthorizationResult> {
    return handleRequest(parameters, sessionId, async (request, endUser) => {
      checkForm(bindingsOf(parameters, endUser))
      if (!decision.allow) throw new RedirectableError('access_denied', 'The user denied the request.')
      const scopes = selectScopes(request.scopes, decision.selectedScopes)
      const response = await acceptRequest(request, endUser, scopes, decision.serverId)
      return redirectTo(successLocation(baseUrl, request, response))
    })
  }

  async function handleRequest(
    parameters: Parameters,
    sessionId: string | undefined,
    proceed: (request: AuthorizationRequest, endUser: EndUser) => Promise<AuthorizationResult>,
  ): Promise<AuthorizationResult> {
    requireShortQuery(parameters)
    const target = await readResponseTarget(db, parameters)
    const endUser = await findEndUser(deps, parameters, sessionId)
    // sign-in/sign-in-before-redirect: a user who is not signed in is not redirected to the client, not even with an error.
    if (!endUser && !hasPromptNone(parameters)) {
      const start = readRequestStart(sealer, clock, parameters)
      return redirectTo(signInPath(withRequestStart(sealer, parameters, start)))
    }
    try {
      const request = await readAuthorizationRequest(idTokens.findHintSubject, parameters, target)
      if (!endUser) {
        throw new RedirectableError(
          'login_required',
          'The user is not signed in, and prompt=none does not allow the sign-in page.',
        )
      }
      const signInLocation = await checkEndUser(deps, parameters, request, endUser)
      return signInLocation === undefined ? await proceed(request, endUser) : redirectTo(signInLocation)
    } catch (error) {
      return redirectTo(errorLocation(deps, target, error))
    }
  }

  /** Returns undefined if the user has not consented to all scopes. */
  async function issueCodeWithConsent(
    request: AuthorizationRequest,
    endUser: EndUser,
  ): Promise<string | undefined> {
    const { client, scopes } = request
    const userId = endUser.user.id
    if (!(await hasConsent(db, userId, client.id, scopes))) return undefined
    return db.transaction(async tx => {
      if (!(await lockConsent(tx, clock(), userId, client.id, scopes))) return undefined
      return issueCode(tx, request, endUser, scopes)
    })
  }

  /**
   * Records the consent, issues the code and installs the application in one transaction. Returns the parameters of the
   * response. If the installation fails, no consent and no code remain.
   */
  async function acceptRequest(
    request: AuthorizationRequest,
    endUser: EndUser,
    scopes: Scopes,
    serverId: string | undefined,
  ): Promise<Record<string, string>> {
    const userId = endUser.user.id
    const installs = scopes.canonical.some(isInstallationScope)
    if (installs && serverId === undefined) throw nonRedirectableError('error.serverMissing')
    return db.transaction(async tx => {
      const response: Record<string, string> = {}
      if (scopes.canonical.some(isUserScope)) {
        await recordConsent(tx, clock(), userId, request.client.id, scopes)
        response.code = await issueCode(tx, request, endUser, scopes)
      }
      if (installs && serverId !== undefined) {
        const permissions = await installation.installApplication(tx, userId, serverId, request)
        response.server_id = serverId
        response.permissions = formatPermissions(permissions)
      }
      return response
    })
  }

  async function issueCode(
    tx: Transaction,
    request: AuthorizationRequest,
    { session }: EndUser,
    scopes: Scopes,
  ): Promise<string> {
    // Unreachable: a request for a code always has a redirect URI.
    if (request.redirectUri === undefined) throw nonRedirectableError('error.redirectMissing')
    const id = ids()
    const code = createToken(secretPrefixes.authorizationCode, id)
    await insertCode(tx, {
      id,
      hash: hashSecret(code),
      applicationId: request.client.id,
      userId: session.userId,
      scope: scopes.filter(scope => !isInstallationScope(scope)).toString(),
      redirectUri: request.redirectUri,
      redirectUriSent: request.redirectUriSent,
      codeChallenge: request.codeChallenge ?? null,
      nonce: request.nonce ?? null,
      authTime: session.authTime,
      amr: session.amr,
      sessionId: session.id,
      expiresAt: clock() + authorizationCodeSeconds * 1000,
    })
    return code
  }

  async function consentScreen(
    parameters: Parameters,
    request: AuthorizationRequest,
    endUser: EndUser,
  ): Promise<ConsentScreen> {
    const { user, start } = endUser
    const { ownerId, botUserId } = request.client
    const users = await findUsers(db, [ownerId, ...(botUserId === null ? [] : [botUserId])])
    const installs = request.scopes.canonical.some(isInstallationScope)
    return {
      kind: 'consent',
      request,
      user,
      owner: { developer: users.get(ownerId)?.username, bot: users.get(botUserId ?? '')?.username },
      bindings: bindingsOf(parameters, endUser),
      parameters: withRequestStart(sealer, parameters, start),
      choices: installs ? await installation.listServerChoices(user.id, request) : [],
    }
  }

  return { authorize, decide }
}

function redirectTo(location: string): AuthorizationResult {
  return { kind: 'redirect', location }
}

function bindingsOf(parameters: Parameters, { session }: EndUser): FormBindings {
  return {
    session: `${session.id} ${session.userId}`,
    request: `consent?${parameters.without(startParameter)}`,
  }
}
