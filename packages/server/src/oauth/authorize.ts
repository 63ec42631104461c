import { authorizationCodeSeconds } from '@gatehouse/protocol/limits'
import { formatPermissions } from '@gatehouse/protocol/permissions'
import type { SelfUser } from '@gatehouse/protocol/users'
import { findUsers } from '../accounts/users/index.ts'
import { findServerAccess } from '../community/permissions/index.ts'
import { AppError } from '../errors/app-error.ts'
import { createToken, hashSecret, secretPrefixes } from '../kit/secret.ts'
import type { Transaction } from '../storage/database.ts'
import { isAdmitted, lockAdmission, notAdmitted } from './admission.ts'
import {
  type AuthorizationRequest,
  hasPromptNone,
  readAuthorizationRequest,
  readResponseTarget,
  requireShortQuery,
} from './authorization-request.ts'
import { errorLocation, successLocation } from './authorization-response.ts'
import { canSkipConsentPage, hasConsent, lockConsent, needsVerification, selectScopes } from './consent.ts'
import { deleteConsentsOfScopes, insertConsent } from './consent-store.ts'
import {
  type Browser,
  bindingsOf,
  checkEndUser,
  type EndUser,
  type FormBindings,
  findEndUser,
  readRequestStart,
  signInPath,
  startParameter,
  withRequestStart,
} from './end-user.ts'
import { insertCode } from './grant-store.ts'
import type { IdTokens } from './id-token.ts'
import type { Installation, ServerChoice } from './installation.ts'
import type { Deps } from './oauth-deps.ts'
import { NotAdmittedError, nonRedirectableError, RedirectableError } from './oauth-errors.ts'
import type { Parameters } from './parameters.ts'
import type { Scopes } from './scopes.ts'
import type { SignInFailures } from './sign-in-failures.ts'

export type AuthorizationResult =
  | { kind: 'redirect'; location: string }
  | ConsentScreen
  | NotAdmittedScreen
  | UnverifiedScreen

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
  /** The server whose roles the scope `groups` sends, if the user is a member (sign-in/groups). */
  serverName: string | undefined
}

/** The data of the page for a user who is not admitted (sign-in/members-only). */
export interface NotAdmittedScreen extends Pick<NotAdmittedError, 'reason'> {
  kind: 'not-admitted'
  user: SelfUser
  /** The error response to the client. */
  location: string
  /** The parameters of the same request for another account. */
  parameters: Parameters
}

/** The data of the page for a user who verifies the email address first (sign-in/email-verified-only). */
export interface UnverifiedScreen
  extends Pick<ConsentScreen, 'request' | 'user' | 'bindings' | 'parameters'> {
  kind: 'unverified'
  /** What became of the request for another mail. */
  mail: 'sent' | 'limited' | undefined
}

/** The decision of the user on the consent page. */
interface Decision {
  choice: 'allow' | 'deny' | 'resend'
  /** The optional scopes that are selected. */
  selectedScopes: readonly string[]
  serverId: string | undefined
}

export type AuthorizationEndpoint = ReturnType<typeof createAuthorizationEndpoint>

/** The authorization endpoint and its consent page (RFC 6749 §3.1). */
export function createAuthorizationEndpoint(
  deps: Deps & { failures: Pick<SignInFailures, 'record'> },
  idTokens: IdTokens,
  installation: Installation,
) {
  const { db, clock, ids, sessions, securityLog, baseUrl } = deps
  const authorizations = deps.rateLimiter.window('authorizations')

  async function handleRequest(
    parameters: Parameters,
    browser: Browser,
    proceed: (request: AuthorizationRequest, endUser: EndUser) => Promise<AuthorizationResult>,
  ): Promise<AuthorizationResult> {
    const recordFailure = (error: unknown) =>
      deps.failures.record('authorization', parameters.get('client_id'), error)
    const target = await readResponseTarget(db, parameters).catch(error => {
      recordFailure(error)
      throw error
    })
    const endUser = await findEndUser(deps, parameters, browser)
    // sign-in/sign-in-before-redirect: a user who is not signed in is not redirected to the client, not even with an
    // error.
    if (!endUser && !hasPromptNone(parameters)) {
      requireShortQuery(parameters)
      const start = readRequestStart(deps, parameters, browser.id)
      return redirectTo(signInPath(withRequestStart(deps, parameters, start)))
    }
    try {
      const request = await readAuthorizationRequest(idTokens, parameters, target)
      if (!endUser) {
        throw new RedirectableError(
          'login_required',
          'The user is not signed in, and prompt=none does not allow the sign-in page.',
        )
      }
      const signInLocation = await checkEndUser(deps, parameters, request, endUser)
      return signInLocation === undefined ? await proceed(request, endUser) : redirectTo(signInLocation)
    } catch (error) {
      // Another request has ended the session or replaced its secret.
      if (error instanceof AppError && error.code === 'unauthenticated') {
        return handleRequest(parameters, { ...browser, currentSession: undefined }, proceed)
      }
      recordFailure(error)
      const location = errorLocation(deps, target, error)
      if (error instanceof NotAdmittedError && endUser && !hasPromptNone(parameters)) {
        const { user, start } = endUser
        const { reason } = error
        const again = withRequestStart(deps, parameters, start)
        return { kind: 'not-admitted', reason, user, location, parameters: again }
      }
      return redirectTo(location)
    }
  }

  /** Throws NotAdmittedError. The installation of a bot is no sign-in. */
  async function requireAdmission(
    { client, scopes }: AuthorizationRequest,
    { user }: EndUser,
  ): Promise<void> {
    if (scopes.user.length > 0 && !(await isAdmitted(db, client, user.id)))
      throw await notAdmitted(db, client)
  }

  /** Throws RedirectableError `temporarily_unavailable` beyond the rate of the user (limits/rates). */
  async function countAuthorization(userId: string): Promise<void> {
    if ((await authorizations.hit(userId)).allowed) return
    const { count, seconds } = authorizations.rate
    throw new RedirectableError(
      'temporarily_unavailable',
      `Too many authorizations: at most ${count} per ${seconds} seconds are accepted for a user.`,
    )
  }

  /** Returns undefined if the user has not consented to all scopes. */
  async function issueCodeWithConsent(
    request: AuthorizationRequest,
    endUser: EndUser,
  ): Promise<string | undefined> {
    const userId = endUser.user.id
    if (!(await hasConsent(db, userId, request))) return undefined
    await countAuthorization(userId)
    return db.transaction(async tx =>
      (await lockConsent(tx, clock(), userId, request))
        ? issueCode(tx, request, endUser, request.scopes)
        : undefined,
    )
  }

  /**
   * Records the consent, deletes that to deselected scopes, issues the code and installs the application in one
   * transaction. Returns the parameters of the response. If the installation fails, no consent and no code remain.
   */
  async function acceptRequest(
    request: AuthorizationRequest,
    endUser: EndUser,
    scopes: Scopes,
    serverId: string | undefined,
  ): Promise<Record<string, string>> {
    const userId = endUser.user.id
    const installs = scopes.installation.length > 0
    if (installs && serverId === undefined) throw nonRedirectableError('error.serverMissing')
    await countAuthorization(userId)
    return db.transaction(async tx => {
      const response: Record<string, string> = {}
      if (scopes.user.length > 0) {
        const consent = { userId, applicationId: request.client.id, now: clock() }
        for (const scope of scopes.user) await insertConsent(tx, { ...consent, scope })
        const deselected = request.scopes.user.filter(scope => !scopes.has(scope))
        if (deselected.length > 0) await deleteConsentsOfScopes(tx, userId, request.client.id, deselected)
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

  /**
   * Throws `unauthenticated` if the secret of the session has been replaced (sign-in/session-secret), and
   * NotAdmittedError.
   */
  async function issueCode(
    tx: Transaction,
    request: AuthorizationRequest,
    { currentSession, session, request: from }: EndUser,
    scopes: Scopes,
  ): Promise<string> {
    // Unreachable: a request for a code always has a redirect URI.
    if (request.redirectUri === undefined) throw nonRedirectableError('error.redirectMissing')
    const id = ids()
    const code = createToken(secretPrefixes.authorizationCode, id)
    const inserted = insertCode(tx, {
      id,
      hash: hashSecret(code),
      applicationId: request.client.id,
      userId: session.userId,
      scope: scopes.without(scopes.installation).toString(),
      redirectUri: request.redirectUri,
      redirectUriSent: request.redirectUriSent,
      codeChallenge: request.codeChallenge ?? null,
      nonce: request.nonce ?? null,
      authTime: session.authTime,
      amr: session.amr,
      sessionId: session.id,
      codeExpiresAt: clock() + authorizationCodeSeconds * 1000,
    })
    // After the INSERT, which locks the user: other transactions also lock the user before the session.
    await Promise.all([inserted, sessions.lockSession(tx, currentSession)])
    // After the INSERT, which has read the revocations: a loss that this check does not see revokes the code.
    if (!(await lockAdmission(tx, request.client, session.userId)))
      throw await notAdmitted(tx, request.client)
    const { id: applicationId, name: targetName } = request.client
    const authorized = { userId: session.userId, request: from, applicationId, targetName }
    await securityLog.record(tx, { ...authorized, kind: 'APPLICATION_AUTHORIZE' })
    return code
  }

  function unverifiedScreen(
    parameters: Parameters,
    request: AuthorizationRequest,
    { user, session, start }: EndUser,
    mail?: UnverifiedScreen['mail'],
  ): UnverifiedScreen {
    const bindings = consentBindings(parameters, session)
    const again = withRequestStart(deps, parameters, start)
    return { kind: 'unverified', request, user, bindings, parameters: again, mail }
  }

  async function resendMail({ user, request }: EndUser): Promise<'sent' | 'limited'> {
    try {
      await deps.resendVerification(user.id, request)
      return 'sent'
    } catch (error) {
      if (error instanceof AppError && error.code === 'rate_limited') return 'limited'
      throw error
    }
  }

  async function consentScreen(
    parameters: Parameters,
    request: AuthorizationRequest,
    { user, session, start }: EndUser,
  ): Promise<ConsentScreen> {
    const { ownerId, botUserId, server } = request.client
    const users = await findUsers(db, [ownerId, ...(botUserId === null ? [] : [botUserId])])
    const installs = request.scopes.installation.length > 0
    const access =
      server && request.scopes.has('groups')
        ? await findServerAccess(db, clock(), user.id, server.id)
        : undefined
    return {
      kind: 'consent',
      request,
      user,
      owner: { developer: users.get(ownerId)?.username, bot: users.get(botUserId ?? '')?.username },
      bindings: consentBindings(parameters, session),
      parameters: withRequestStart(deps, parameters, start),
      choices: installs ? await installation.listServerChoices(user.id, request) : [],
      serverName: access?.server.name,
    }
  }

  return {
    /** Throws AppError if the error must not redirect (sign-in/errors-without-redirect). */
    authorize(parameters: Parameters, browser: Browser): Promise<AuthorizationResult> {
      return handleRequest(parameters, browser, async (request, endUser) => {
        await requireAdmission(request, endUser)
        if (needsVerification(request, endUser.user)) {
          if (!request.prompt.has('none')) return unverifiedScreen(parameters, request, endUser)
          throw new RedirectableError(
            'interaction_required',
            'The user must verify the email address, but prompt=none does not allow a page.',
          )
        }
        if (canSkipConsentPage(request, deps.confirmUnverifiedApps)) {
          const code = await issueCodeWithConsent(request, endUser)
          if (code !== undefined) return redirectTo(successLocation(baseUrl, request, { code }))
        }
        if (request.prompt.has('none')) {
          throw new RedirectableError(
            request.scopes.installation.length > 0 ? 'interaction_required' : 'consent_required',
            'The user must give consent, but prompt=none does not allow a page.',
          )
        }
        return consentScreen(parameters, request, endUser)
      })
    },

    /**
     * The user submitted the consent page. `checkForm` throws if the form token is not bound to `bindings`. The request
     * is validated again, so that the page and the code have the same parameters (sign-in/consent-parameters).
     */
    decide(
      parameters: Parameters,
      browser: Browser,
      decision: Decision,
      checkForm: (bindings: FormBindings) => void,
    ): Promise<AuthorizationResult> {
      return handleRequest(parameters, browser, async (request, endUser) => {
        checkForm(consentBindings(parameters, endUser.session))
        const { choice } = decision
        if (choice === 'deny') throw new RedirectableError('access_denied', 'The user denied the request.')
        await requireAdmission(request, endUser)
        if (needsVerification(request, endUser.user)) {
          const mail = choice === 'resend' ? await resendMail(endUser) : undefined
          return unverifiedScreen(parameters, request, endUser, mail)
        }
        // The address has been verified in the meantime.
        if (choice === 'resend') return redirectTo(`/oauth2/authorize?${parameters}`)
        const scopes = selectScopes(request, decision.selectedScopes)
        const response = await acceptRequest(request, endUser, scopes, decision.serverId)
        return redirectTo(successLocation(baseUrl, request, response))
      })
    },
  }
}

function redirectTo(location: string): AuthorizationResult {
  return { kind: 'redirect', location }
}

function consentBindings(parameters: Parameters, session: EndUser['session']): FormBindings {
  return bindingsOf(session, `consent?${parameters.without(startParameter)}`)
}
