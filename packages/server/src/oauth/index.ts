// Owns who may act for whom: the authorization endpoint with its consent, codes, tokens and their revocation, userinfo,
// introspection, signing keys, discovery, sign-out at the wish of an application, and the list of what a person allowed.
// Does not own: applications and their secrets (applications/), who is signed in and how (platform/), the sign-in page.
import type { Discovery, Introspection, KeySet, TokenResponse, UserInfo } from '@gatehouse/protocol/oauth'
import type { Authorization } from '@gatehouse/protocol/users'
import type { BearerCaller } from '../http/caller.ts'
import type { Clock, Timers } from '../kit/clock.ts'
import type { Sealer } from '../kit/seal.ts'
import type { Outgoing } from '../outgoing/index.ts'
import type { Sessions } from '../platform/sessions/index.ts'
import type { Database, Transaction } from '../storage/database.ts'
import { listAuthorizations, withdraw } from './authorizations.ts'
import * as authorization from './authorize/index.ts'
import { createClientAuthentication, type Presented } from './client-authentication.ts'
import { discovery } from './discovery.ts'
import { exchange } from './grants/index.ts'
import { type Identity, readHint, signIdToken, subjectOfHint } from './id-token.ts'
import { type Installing, whatWasAdded } from './installing.ts'
import { introspect } from './introspection.ts'
import * as logout from './logout/index.ts'
import type { Parameters } from './parameters.ts'
import { createSigningKeys } from './signing-keys.ts'
import { sweepOAuth } from './sweep.ts'
import { authenticateBearer, revokeAllOfApplication, revokeAllOfUser, revokeToken } from './tokens.ts'
import { userinfo } from './userinfo.ts'

export { rotateSigningKeys } from './signing-keys.ts'

export interface OAuthDeps {
  db: Database
  clock: Clock
  timers: Timers
  ids: () => string
  sealer: Sealer
  baseUrl: string
  sessions: Pick<Sessions, 'findSession' | 'endSession'>
  outgoing: Pick<Outgoing, 'post'>
  installing: Installing
  userinfoScope: 'identify' | 'openid'
  refreshGraceSeconds: number
  confirmUnverifiedApps: boolean
  rateLimits: boolean
  /** Told of what went wrong on our side behind a redirect, for the log. */
  report: (error: unknown) => void
  /** Told of applications that could not be told of a sign-out, for the log. */
  note: (untold: logout.Untold) => void
}

export interface OAuth {
  /** A request arrived at the authorization endpoint. Throws AppError for a page (D11). */
  authorize(parameters: Parameters, sessionId: string | undefined): Promise<authorization.Outcome>
  /** A person decided on the consent page; `checkForm` throws where the form is not theirs. */
  decide(
    parameters: Parameters,
    sessionId: string | undefined,
    decision: authorization.Decision,
    checkForm: (bindings: authorization.ConsentScreen['bindings']) => void,
  ): Promise<authorization.Outcome>
  /** A person was sent here to sign out. Throws AppError for a page. */
  startLogout(parameters: Parameters, sessionId: string | undefined): Promise<logout.LogoutOutcome>
  /** They said yes; `checkForm` throws where the form is not theirs. */
  confirmLogout(
    parameters: Parameters,
    sessionId: string | undefined,
    checkForm: (bindings: { session: string; request: string }) => void,
  ): Promise<logout.LogoutOutcome>
  /** A session was deleted in this transaction: the applications it was used to sign in to are told. */
  sessionEnded(tx: Transaction, sessionId: string): Promise<void>
  /** The same parameters; throws AppError for a page where they are too long for an address. */
  checkLength(parameters: Parameters): Parameters
  /** What the form of a page that leads to `path` may end in, for its `form-action` (D24). */
  formActionsOf(path: string): Promise<string[]>
  /** Names of what the person added to which server; undefined where that is not so. */
  whatWasAdded(
    userId: string | undefined,
    applicationId: string,
    serverId: string,
  ): Promise<{ application: string; server: string } | undefined>
  /** The token endpoint. Throws OAuthError, or `rate_limited`. */
  exchange(presented: Presented): Promise<TokenResponse>
  /** Nothing happens where it is no token (D20). */
  revoke(token: string): Promise<void>
  introspect(presented: Presented): Promise<Introspection>
  userinfo(token: string): Promise<UserInfo>
  publicKeys(): Promise<KeySet['keys']>
  readonly discovery: Discovery
  listAuthorizations(userId: string): Promise<Authorization[]>
  /** Throws 404 where nothing was allowed. */
  withdraw(userId: string, applicationId: string): Promise<void>
  /** For http/authenticate: scopes by their own names, `profile` as `identify`. */
  authenticateBearer(token: string): Promise<BearerCaller | undefined>
  /** Every code and token of a person ends: their password changed (D76). */
  revokeAllOfUser(tx: Transaction, userId: string): Promise<void>
  /** Every code and token of an application ends: its secret was reset. */
  revokeAllOfApplication(tx: Transaction, applicationId: string): Promise<void>
  /** Makes the first signing key where there is none. */
  prepare(): Promise<void>
  /** Deletes what has expired, in small batches. */
  sweep(): Promise<void>
  /** Gives up the applications that are still to be told of a sign-out. */
  close(): Promise<void>
}

export function createOAuth(deps: OAuthDeps): OAuth {
  const { db, clock, baseUrl } = deps
  const keys = createSigningKeys(deps)
  const authenticateClient = createClientAuthentication(deps)
  const signing = { clock, baseUrl, keys }
  const backChannel = logout.createBackChannel({
    ...deps,
    sign: party => logout.signLogoutToken({ ...deps, keys }, party),
  })
  const leaving = { ...deps, readHint: (token: string) => readHint(signing, token) }
  const asking = {
    ...deps,
    subjectOfHint: (token: string, applicationId: string) => subjectOfHint(signing, token, applicationId),
  }
  const granting = {
    ...deps,
    authenticateClient,
    signIdToken: (identity: Identity) => signIdToken(signing, identity),
  }
  return {
    authorize: (parameters, sessionId) => authorization.authorize(asking, parameters, sessionId),
    decide: (parameters, sessionId, decision, checkForm) =>
      authorization.decide(asking, parameters, sessionId, decision, checkForm),
    startLogout: (parameters, sessionId) => logout.startLogout(leaving, parameters, sessionId),
    confirmLogout: (parameters, sessionId, checkForm) =>
      logout.confirmLogout(leaving, parameters, sessionId, checkForm),
    async sessionEnded(tx, sessionId) {
      const parties = await logout.partiesOf(tx, sessionId)
      if (parties.length > 0) tx.afterCommit(() => backChannel.tell(parties))
    },
    checkLength: authorization.checkLength,
    formActionsOf: path => authorization.formActionsOf(db, path),
    whatWasAdded: (userId, applicationId, serverId) =>
      whatWasAdded(db, deps.installing, userId, applicationId, serverId),
    exchange: presented => exchange(granting, presented),
    revoke: token => revokeToken(db, token),
    introspect: presented => introspect({ ...deps, authenticateClient }, presented),
    userinfo: token => userinfo(deps, token),
    publicKeys: () => keys.published(),
    discovery: discovery(baseUrl),
    listAuthorizations: userId => listAuthorizations(db, userId),
    withdraw: (userId, applicationId) => withdraw(db, userId, applicationId),
    authenticateBearer: token => authenticateBearer(db, clock, token),
    revokeAllOfUser,
    revokeAllOfApplication,
    prepare: () => keys.prepare(),
    sweep: () => sweepOAuth(deps),
    close: () => backChannel.close(),
  }
}
