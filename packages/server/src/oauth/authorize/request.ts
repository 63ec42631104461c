import type { ApplicationRecord } from '../../applications/index.ts'
import type { Sql } from '../../storage/database.ts'
import type { Parameters } from '../parameters.ts'
import { isPersonal, type Scopes } from '../scopes.ts'
import { findClient } from './client.ts'
import { checkCodeChallenge } from './code-challenge.ts'
import { checkIdTokenHint } from './id-token-hint.ts'
import { checkPermissions, checkServerId } from './installation.ts'
import { checkMaxAge, checkPrompt, type Prompt } from './prompt.ts'
import { checkRedirectUri } from './redirect-uri.ts'
import { dead } from './refusal.ts'
import { refuseRepeated } from './repeated.ts'
import { refuseRequestObjects } from './request-objects.ts'
import { checkResponseMode, checkResponseType } from './response-type.ts'
import { asksForInstallationOnly, checkScope } from './scope.ts'

/** Who asks, and where the answer goes. */
export interface Target {
  client: ApplicationRecord
  /** Undefined only where nothing but a bot or its commands is to be added (D23). */
  redirectUri: string | undefined
  redirectUriSent: boolean
  state: string | undefined
}

/** All that a request asks for, judged. */
export interface AuthorizationRequest extends Target {
  scopes: Scopes
  codeChallenge: string | undefined
  nonce: string | undefined
  prompt: ReadonlySet<Prompt>
  /** Seconds. */
  maxAge: number | undefined
  loginHint: string | undefined
  /** The person of `id_token_hint`. */
  hintedSubject: string | undefined
  permissions: bigint
  serverId: string | undefined
}

/** The checks whose errors never redirect (D11; RFC 6749 §4.1.2.1). Throws AppError for a page. */
export async function readTarget(sql: Sql, parameters: Parameters): Promise<Target> {
  const client = await findClient(sql, parameters)
  const optional = asksForInstallationOnly(parameters)
  const redirectUri = checkRedirectUri(client, parameters, { optional })
  return {
    client,
    redirectUri,
    redirectUriSent: parameters.get('redirect_uri') !== undefined,
    state: parameters.faulty().includes('state') ? undefined : parameters.get('state'),
  }
}

/** The checks whose errors go back to the application, in the order of the standards. Throws Refusal. */
export async function readRequest(
  subjectOfHint: (token: string, applicationId: string) => Promise<string | undefined>,
  parameters: Parameters,
  target: Target,
): Promise<AuthorizationRequest> {
  const { client } = target
  const optional = asksForInstallationOnly(parameters)
  refuseRepeated(parameters)
  refuseRequestObjects(parameters)
  checkResponseType(parameters, { optional })
  checkResponseMode(parameters)
  const scopes = checkScope(client, parameters)
  const codeChallenge = checkCodeChallenge(client, parameters, { needed: scopes.meanings.some(isPersonal) })
  const prompt = checkPrompt(parameters)
  const maxAge = checkMaxAge(parameters)
  const hintedSubject = await checkIdTokenHint(subjectOfHint, client, parameters)
  const permissions = checkPermissions(parameters)
  const serverId = checkServerId(parameters)
  return {
    ...target,
    scopes,
    codeChallenge,
    nonce: parameters.get('nonce'),
    prompt,
    maxAge,
    loginHint: parameters.get('login_hint'),
    hintedSubject,
    permissions,
    serverId,
  }
}

/** Where a code for this request goes. */
export function redirectUriOf(target: Target): string {
  if (target.redirectUri === undefined) throw dead('There is no address to return to.')
  return target.redirectUri
}
