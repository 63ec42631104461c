import { formatPermissions } from '@gatehouse/protocol/permissions'
import { hashSecret, makePlacedSecret, secretPrefixes } from '../../kit/secret.ts'
import type { Transaction } from '../../storage/database.ts'
import { isAllowed, remember, stillAllowed } from '../consent.ts'
import { installFor } from '../installing.ts'
import { isInstallation, isPersonal, type Scopes } from '../scopes.ts'
import { insertCode } from '../store.ts'
import { codeLifeMs } from '../tokens.ts'
import type { AuthorizeDeps, Visit } from './outcome.ts'
import { dead } from './refusal.ts'
import { type AuthorizationRequest, redirectUriOf } from './request.ts'

/** Undefined where not all of it was allowed before. */
export async function issueSilently(
  deps: AuthorizeDeps,
  request: AuthorizationRequest,
  visit: Visit,
): Promise<string | undefined> {
  const { client, scopes } = request
  const userId = visit.person.id
  if (!(await isAllowed(deps.db, userId, client.id, scopes))) return undefined
  return deps.db.transaction(async tx => {
    if (!(await stillAllowed(tx, deps.clock, userId, client.id, scopes))) return undefined
    return issueCode(deps, tx, request, visit, scopes)
  })
}

/**
 * Everything that was allowed, or nothing of it. Answers what goes into the redirect: the code, and what was added to
 * which server (D23).
 */
export async function grant(
  deps: AuthorizeDeps,
  request: AuthorizationRequest,
  visit: Visit,
  scopes: Scopes,
  serverId: string | undefined,
): Promise<Record<string, string>> {
  const { client } = request
  const userId = visit.person.id
  const installs = scopes.meanings.some(isInstallation)
  if (installs && serverId === undefined) throw dead('Choose the server to add the application to.')
  return deps.db.transaction(async tx => {
    const given: Record<string, string> = {}
    if (scopes.meanings.some(isPersonal)) {
      await remember(tx, deps.clock, userId, client.id, scopes)
      given.code = await issueCode(deps, tx, request, visit, scopes)
    }
    if (installs && serverId !== undefined) {
      const permissions = await installFor(tx, deps.installing, userId, serverId, request)
      given.server_id = serverId
      given.permissions = formatPermissions(permissions)
    }
    return given
  })
}

async function issueCode(
  deps: AuthorizeDeps,
  tx: Transaction,
  request: AuthorizationRequest,
  { session }: Visit,
  scopes: Scopes,
): Promise<string> {
  const id = deps.ids()
  const code = makePlacedSecret(secretPrefixes.authorizationCode, id)
  await insertCode(tx, {
    id,
    hash: hashSecret(code),
    applicationId: request.client.id,
    userId: session.userId,
    scope: scopes.filter(meaning => !isInstallation(meaning)).toString(),
    redirectUri: redirectUriOf(request),
    redirectUriSent: request.redirectUriSent,
    codeChallenge: request.codeChallenge ?? null,
    nonce: request.nonce ?? null,
    authTime: session.authTime,
    amr: session.amr,
    sessionId: session.id,
    expiresAt: deps.clock() + codeLifeMs,
  })
  return code
}
