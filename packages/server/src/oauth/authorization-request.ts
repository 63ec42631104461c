import { isId } from '@gatehouse/protocol/ids'
import { maxRequestQuery, maxStateBytes } from '@gatehouse/protocol/limits'
import { effectivePermissions, parsePermissions } from '@gatehouse/protocol/permissions'
import { type ApplicationRecord, findValidApplication, toUri } from '../applications/index.ts'
import { AppError } from '../errors/app-error.ts'
import type { Sql } from '../storage/database.ts'
import type { IdTokens } from './id-token.ts'
import { nonRedirectableError, RedirectableError, unknownRedirectUri } from './oauth-errors.ts'
import { type Parameters, parseQuery } from './parameters.ts'
import { isCodeChallenge } from './pkce.ts'
import { isRegisteredRedirectUri, toFormActionSource } from './redirect-uri.ts'
import { effectiveScopes, parseScopes, requestableScopes, type Scopes } from './scopes.ts'

/** The client of an authorization request, and where its response is sent. */
export interface ResponseTarget {
  client: ApplicationRecord
  /**
   * Undefined only if the application has none, and nothing but a bot or its commands is installed
   * (sign-in/bot-installation-response).
   */
  redirectUri: string | undefined
  /** Whether the request had a redirect_uri. If it had one, the token request must have it too (RFC 6749 §4.1.3). */
  redirectUriSent: boolean
  state: string | undefined
  /** The languages that the client requests for the pages (Core §3.1.2.1). */
  uiLocales: string | undefined
}

/** A valid authorization request. */
export interface AuthorizationRequest extends ResponseTarget {
  scopes: Scopes
  codeChallenge: string | undefined
  nonce: string | undefined
  prompt: ReadonlySet<string>
  /** Seconds. */
  maxAge: number | undefined
  /** The subject of `id_token_hint`. */
  hintedSubject: string | undefined
  /** The permissions that the role of the bot gets. */
  permissions: bigint
  /** The server that the consent page preselects. */
  serverId: string | undefined
}

const promptValues = ['none', 'login', 'consent', 'select_account']

/** For a request that cannot be sent on, because it would not fit into a URL. Throws AppError. */
export function requireShortQuery(parameters: Parameters): void {
  const violation = findLengthViolation(parameters)
  if (violation !== undefined) throw nonRedirectableError('error.linkTooLong', { technical: violation })
}

function findLengthViolation(parameters: Parameters): string | undefined {
  const { length } = parameters.toString()
  if (length <= maxRequestQuery) return undefined
  return `The request has ${length} characters. The limit is ${maxRequestQuery}, and ${maxStateBytes} bytes for state.`
}

/** The checks whose errors never redirect (sign-in/errors-without-redirect; RFC 6749 §4.1.2.1). Throws AppError. */
export async function readResponseTarget(sql: Sql, parameters: Parameters): Promise<ResponseTarget> {
  const client = await readClient(sql, parameters)
  return {
    client,
    redirectUri: readRedirectUri(client, parameters),
    redirectUriSent: parameters.get('redirect_uri') !== undefined,
    state: parameters.findInvalid(['state']) === undefined ? parameters.getUnchanged('state') : undefined,
    uiLocales: parameters.get('ui_locales'),
  }
}

async function readClient(sql: Sql, parameters: Parameters): Promise<ApplicationRecord> {
  const id = parameters.get('client_id')
  if (id === undefined) throw nonRedirectableError('error.clientMissing')
  if (parameters.isRepeated('client_id')) throw nonRedirectableError('error.clientRepeated')
  const client = isId(id) ? await findValidApplication(sql, id) : undefined
  if (!client) throw nonRedirectableError('error.clientUnknown')
  return client
}

/** RFC 6749 §3.1.2.3, §3.1.2.4. */
function readRedirectUri(client: ApplicationRecord, parameters: Parameters): string | undefined {
  const sent = parameters.get('redirect_uri')
  if (parameters.isRepeated('redirect_uri')) throw nonRedirectableError('error.redirectRepeated')
  if (sent !== undefined) {
    const uri = toUri(sent)
    if (isRegisteredRedirectUri(uri, client)) return uri
    throw unknownRedirectUri(sent, client)
  }
  const [only, ...others] = client.redirectUris
  if (only !== undefined && others.length === 0) return only
  // Checked before the scope is validated, because errors of the scope redirect.
  if (only === undefined && requestsOnlyInstallation(client, parameters)) return undefined
  throw nonRedirectableError('error.redirectMissing')
}

/**
 * Whether only the installation of a bot or its commands is requested, so that no code is issued
 * (sign-in/bot-installation).
 */
function requestsOnlyInstallation(client: ApplicationRecord, parameters: Parameters): boolean {
  const scopes = readScopes(client, parameters)
  return !!scopes && scopes.installation.length > 0 && scopes.installation.length === scopes.canonical.length
}

/** Undefined if the scope is malformed; empty if it has no known scope. */
function readScopes(client: ApplicationRecord, parameters: Parameters): Scopes | undefined {
  return effectiveScopes(client, parameters.get('scope') ?? '', requestableScopes(client))
}

/**
 * The source expressions that the `form-action` of the sign-in page needs, if its form leads to `path`
 * (sign-in/page-headers): the sign-in can end with a redirect to the client. Empty if `path` is not an authorization
 * request.
 */
export async function listFormActions(sql: Sql, path: string): Promise<string[]> {
  if (!path.startsWith('/oauth2/authorize?')) return []
  try {
    const { redirectUri } = await readResponseTarget(sql, parseQuery(path))
    return redirectUri === undefined ? [] : [toFormActionSource(redirectUri)]
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}

/** The checks whose errors are sent to the client, in the order of the standards. Throws RedirectableError. */
export async function readAuthorizationRequest(
  idTokens: Pick<IdTokens, 'findHintSubject'>,
  parameters: Parameters,
  target: ResponseTarget,
): Promise<AuthorizationRequest> {
  rejectInvalidParameters(parameters)
  checkLength(parameters)
  rejectRequestObjects(parameters)
  checkResponseType(target.client, parameters)
  const scopes = readScope(target.client, parameters)
  return {
    ...target,
    scopes,
    codeChallenge: readCodeChallenge(target, parameters, scopes),
    nonce: parameters.get('nonce'),
    prompt: readPrompt(parameters),
    maxAge: readMaxAge(parameters),
    hintedSubject: await readHintedSubject(idTokens, target.client, parameters),
    permissions: readPermissions(parameters),
    serverId: readServerId(parameters),
  }
}

const knownParameters = [
  'response_type',
  'response_mode',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'permissions',
  'server_id',
  'prompt',
  'max_age',
  'login_hint',
  'id_token_hint',
  'display',
  'ui_locales',
  'claims_locales',
  'acr_values',
  'request',
  'request_uri',
  'registration',
]

function invalidParameter(description: string): RedirectableError {
  return new RedirectableError('invalid_request', description)
}

/** sign-in/repeated-parameter. `resource` may be repeated (RFC 8707 §2), and is ignored like an unknown parameter. */
function rejectInvalidParameters(parameters: Parameters): void {
  const invalid = parameters.findInvalid(knownParameters)
  if (invalid !== undefined) throw invalidParameter(`The parameter ${invalid} is repeated or malformed.`)
}

/** sign-in/state. */
function checkLength(parameters: Parameters): void {
  if (Buffer.byteLength(parameters.get('state') ?? '') > maxStateBytes) {
    throw invalidParameter(`The state has more than ${maxStateBytes} bytes.`)
  }
  const violation = findLengthViolation(parameters)
  if (violation !== undefined) throw invalidParameter(violation)
}

/** Core §3.1.2.6 (sign-in/openid-connect-request-parameters). */
function rejectRequestObjects(parameters: Parameters): void {
  for (const name of ['request', 'request_uri', 'registration'] as const) {
    if (parameters.get(name) === undefined) continue
    throw new RedirectableError(`${name}_not_supported`, `The parameter ${name} is not supported.`)
  }
}

/**
 * RFC 6749 §3.1.1, and Multiple Response Type Encoding Practices §2.1 for response_mode. The response_type may be
 * omitted if no code is requested (sign-in/bot-installation).
 */
function checkResponseType(client: ApplicationRecord, parameters: Parameters): void {
  const type = parameters.get('response_type')
  if (type === undefined) {
    if (!requestsOnlyInstallation(client, parameters)) throw invalidParameter('The response_type is missing.')
  } else if (type !== 'code') {
    throw new RedirectableError('unsupported_response_type', 'The response_type must be code.')
  }
  const mode = parameters.get('response_mode')
  if (mode !== undefined && mode !== 'query') throw invalidParameter('The response_mode must be query.')
}

/** RFC 6749 §3.3. Ignores unknown scopes if at least one scope is known (sign-in/unknown-scopes). */
function readScope(client: ApplicationRecord, parameters: Parameters): Scopes {
  const scopes = readScopes(client, parameters)
  if (!scopes) throw new RedirectableError('invalid_scope', 'The scope is malformed.')
  if (scopes.installation.length + scopes.user.length === 0) {
    throw new RedirectableError('invalid_scope', describeMissingScope(client, parameters))
  }
  if (scopes.installation.length > 0 && client.botUserId === null) {
    throw new RedirectableError('invalid_scope', 'The application has no bot.')
  }
  return scopes
}

/** What the request, or the settings of the application, lack. */
function describeMissingScope({ server, defaultScopes }: ApplicationRecord, parameters: Parameters): string {
  const text = parameters.get('scope')
  if (parseScopes(text ?? '')?.has('groups') || defaultScopes.includes('groups')) {
    return server === null
      ? 'The scope groups needs a server: in the settings of the application, select one under Who may sign in, ' +
          'and the roles to send under Groups.'
      : 'The scope groups needs roles to send: in the settings of the application, select them under Groups.'
  }
  return text === undefined ? 'The scope is missing.' : 'The request has no known scope.'
}

/**
 * RFC 7636 §4.3, §4.4.1: only S256 (sign-in/pkce-s256-only). A client without a secret must send a code_challenge
 * (sign-in/pkce-required), unless no code is requested.
 */
function readCodeChallenge(
  { client }: ResponseTarget,
  parameters: Parameters,
  scopes: Scopes,
): string | undefined {
  const challenge = parameters.get('code_challenge')
  const method = parameters.get('code_challenge_method')
  if (method !== undefined && method !== 'S256') {
    throw invalidParameter('The code_challenge_method must be S256.')
  }
  if (challenge === undefined) {
    if (method !== undefined) {
      throw invalidParameter('The request has a code_challenge_method without a code_challenge.')
    }
    // The wording is that of RFC 7636 §4.4.1.
    if (scopes.user.length > 0 && client.secretHash === null) {
      throw invalidParameter('code challenge required')
    }
    return undefined
  }
  if (isCodeChallenge(challenge)) return challenge
  throw invalidParameter('The code_challenge must be the SHA-256 hash of the code_verifier in BASE64URL.')
}

/** Core §3.1.2.1. `none` must be the only value. */
function readPrompt(parameters: Parameters): ReadonlySet<string> {
  const values = promptValuesOf(parameters)
  if (!values.every(value => promptValues.includes(value))) {
    throw invalidParameter(`The prompt must be one of ${promptValues.join(', ')}.`)
  }
  if (values.includes('none') && values.length > 1) {
    throw invalidParameter('prompt=none cannot be combined with other values.')
  }
  return new Set(values)
}

/** Whether no page may be shown. Does not throw, because it is needed before the prompt is validated. */
export function hasPromptNone(parameters: Parameters): boolean {
  return promptValuesOf(parameters).includes('none')
}

function promptValuesOf(parameters: Parameters): string[] {
  return (parameters.get('prompt') ?? '').split(' ').filter(value => value !== '')
}

/** Core §3.1.2.1: the maximum number of seconds since the last sign-in. */
function readMaxAge(parameters: Parameters): number | undefined {
  const text = parameters.get('max_age')
  if (text === undefined) return undefined
  if (/^[0-9]{1,10}$/.test(text)) return Number(text)
  throw invalidParameter('The max_age must be a number of seconds.')
}

/** Core §3.1.2.1: the user whom the client expects to be signed in. The ID token may have expired. */
async function readHintedSubject(
  { findHintSubject }: Pick<IdTokens, 'findHintSubject'>,
  client: ApplicationRecord,
  parameters: Parameters,
): Promise<string | undefined> {
  const hint = parameters.get('id_token_hint')
  if (hint === undefined) return undefined
  const subject = await findHintSubject(hint, client.id)
  if (subject !== undefined) return subject
  throw invalidParameter('The id_token_hint must be an id_token that this service issued to the application.')
}

/** No permissions if the parameter is omitted (sign-in/bot-installation, sign-in/commands-scope). */
function readPermissions(parameters: Parameters): bigint {
  const permissions = parsePermissions(parameters.get('permissions') ?? '0')
  // The consent page shows no others, so nobody grants them.
  if (permissions !== undefined) return permissions & effectivePermissions
  throw invalidParameter('The permissions must be a decimal number of known bits.')
}

function readServerId(parameters: Parameters): string | undefined {
  const id = parameters.get('server_id')
  if (id === undefined || isId(id)) return id
  throw invalidParameter('The server_id must be an id.')
}
