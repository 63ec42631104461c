import { type OAuthErrorCode, OAuthErrorResponse } from '@gatehouse/protocol/errors'
import type { Params } from '@gatehouse/protocol/locales'
import { EmptyObject } from '@gatehouse/protocol/oauth'
import { AppError, type ErrorCode } from '../errors/app-error.ts'
import type { ErrorFormat } from '../http/error-formats.ts'
import type { Key } from '../i18n/en.ts'
import { LocalizedError } from '../i18n/localized-error.ts'
import type { Parameters } from './parameters.ts'

/** The code of the AppError, which determines the HTTP status. All other errors are `validation_failed`. */
const appErrorCodes: Partial<Record<OAuthErrorCode, ErrorCode>> = {
  invalid_client: 'unauthenticated',
  invalid_token: 'unauthenticated',
  insufficient_scope: 'missing_scope',
}

/** An error of the token, userinfo or introspection endpoint (RFC 6749 §5.2, RFC 6750 §3.1). */
export class OAuthError extends AppError {
  readonly error: OAuthErrorCode
  /** The missing scope, only with `insufficient_scope`. */
  readonly scope: string | undefined

  constructor(
    error: OAuthErrorCode,
    description: string,
    { scope, reason = description }: { scope?: string; reason?: string | undefined } = {},
  ) {
    super(appErrorCodes[error] ?? 'validation_failed', description, { reason: `${error}: ${reason}` })
    this.name = 'OAuthError'
    this.error = error
    this.scope = scope
  }
}

export function invalidRequest(description: string): OAuthError {
  return new OAuthError('invalid_request', description)
}

/** RFC 6749 §3.2: parameters must not be repeated (sign-in/token-parameters). Throws OAuthError. */
export function rejectInvalidParameters(form: Parameters, names: readonly string[]): void {
  const invalid = form.findInvalid(names)
  if (invalid !== undefined) throw invalidRequest(`The parameter ${invalid} is repeated or contains U+0000.`)
}

/**
 * The description does not say which part of the credentials was wrong, unless the secret is one of another kind:
 * `misplaced` is its description. `reason` is only logged.
 */
export function invalidClient(reason?: string, misplaced?: string): OAuthError {
  const hint = misplaced === undefined ? '' : ` The client_secret is ${misplaced}.`
  return new OAuthError('invalid_client', `Client authentication failed.${hint}`, { reason })
}

export function invalidGrant(description: string): OAuthError {
  return new OAuthError('invalid_grant', description)
}

/**
 * For a code or a refresh token that is not usable. The description does not say why, unless it is a secret of another
 * kind: `misplaced` is its description. `reason` is only logged.
 */
export function unusableGrant(reason?: string, misplaced?: string): OAuthError {
  const hint = misplaced === undefined ? '' : ` It is ${misplaced}.`
  const description = `The code or token is invalid, expired, revoked or already used.${hint}`
  return new OAuthError('invalid_grant', description, { reason })
}

/** An error of the authorization endpoint that is sent to the redirect URI (RFC 6749 §4.1.2.1). */
export class RedirectableError extends Error {
  readonly error: OAuthErrorCode

  constructor(error: OAuthErrorCode, description: string) {
    super(description)
    this.name = 'RedirectableError'
    this.error = error
  }
}

/** Redirects from a page that says so, unless the request does not allow a page (sign-in/members-only). */
export class NotAdmittedError extends RedirectableError {
  /** Whether the user is not admitted, or the setting of the application admits nobody. */
  readonly reason: 'user' | 'setting'

  constructor(reason: 'user' | 'setting') {
    super('access_denied', notAdmittedDescriptions[reason])
    this.name = 'NotAdmittedError'
    this.reason = reason
  }
}

const notAdmittedDescriptions = {
  // The same for every reason that concerns the user, so that it does not disclose who is a member.
  user: 'The user is not among those who may sign in to the application.',
  setting:
    'Nobody can sign in to the application: the server or the roles in its settings, under Who may sign in, admit ' +
    'nobody. Its owner can change them.',
} as const

/**
 * An error that the user sees on a page, because the redirect URI cannot be trusted (sign-in/errors-without-redirect).
 */
export function nonRedirectableError(
  key: Key,
  details: { params?: Params; technical?: string } = {},
): AppError {
  return new LocalizedError('validation_failed', key, details)
}

/** The longest part of a redirect URI that a page shows. */
const maxShownUri = 300

/**
 * Shows the URI, with invisible characters percent-encoded, and the name of the application, whose direction has no
 * effect on the text.
 */
export function unknownRedirectUri(uri: string, { name }: { name: string }): AppError {
  const shown = uri.toWellFormed().replace(/[\p{C}\p{Z}]/gu, encodeURIComponent)
  return nonRedirectableError('error.redirectUnknown', {
    params: { application: `\u2068${name}\u2069` },
    technical: shown.length > maxShownUri ? `${shown.slice(0, maxShownUri)}…` : shown,
  })
}

/** Headers of every response of the token endpoints, errors included (RFC 6749 §5.1, §5.2). */
export const tokenHeaders = { 'cache-control': 'no-store', pragma: 'no-cache' } as const

/**
 * Errors of the token and introspection endpoints: JSON of RFC 6749 §5.2, with two more codes for 429 and 5xx
 * (sign-in/token-errors). 401 needs a challenge (RFC 9110 §15.5.2).
 */
export const tokenErrorFormat: ErrorFormat = error => ({
  status: statusOf(error),
  headers: {
    ...tokenHeaders,
    ...(error.status === 401 ? { 'www-authenticate': 'Basic realm="oauth2", charset="UTF-8"' } : {}),
  },
  body: bodyOf(error),
  schema: OAuthErrorResponse,
})

/**
 * Errors of the revocation endpoint, whose response is always an empty object (sign-in/revocation). A body with a
 * Content-Encoding counts as one without a token.
 */
export const revocationErrorFormat: ErrorFormat = error => ({
  status: error.status === 415 ? 200 : error.status,
  headers: tokenHeaders,
  body: {},
  schema: EmptyObject,
})

/**
 * Errors of the userinfo endpoint: the challenge repeats the error (RFC 6750 §3). If the request has no credential, the
 * challenge has no error code (RFC 6750 §3.1).
 */
export const bearerErrorFormat: ErrorFormat = error => {
  if (!(error instanceof OAuthError)) {
    const headers = error.status === 401 ? { 'www-authenticate': 'Bearer' } : {}
    return {
      status: statusOf(error),
      headers: { ...tokenHeaders, ...headers },
      body: bodyOf(error),
      schema: OAuthErrorResponse,
    }
  }
  const scope = error.scope === undefined ? '' : `, scope="${error.scope}"`
  const description = toErrorDescription(error.message)
  const challenge = `Bearer error="${error.error}", error_description="${description}"${scope}`
  return {
    status: error.status,
    headers: { ...tokenHeaders, 'www-authenticate': challenge },
    body: bodyOf(error),
    schema: OAuthErrorResponse,
  }
}

// RFC 6749 §5.2: the status of an invalid request is 400, also for an unsupported media type.
function statusOf(error: AppError): number {
  return error.status === 415 ? 400 : error.status
}

function bodyOf(error: AppError): { error: OAuthErrorCode; error_description: string } {
  return { error: oauthCodeOf(error), error_description: toErrorDescription(error.message) }
}

function oauthCodeOf(error: AppError): OAuthErrorCode {
  if (error instanceof OAuthError) return error.error
  if (error.status === 429 || error.status === 503) return 'temporarily_unavailable'
  if (error.status >= 500) return 'server_error'
  return error.status === 401 ? 'invalid_token' : 'invalid_request'
}

/** Replaces the characters that RFC 6749 §4.1.2.1 does not allow: only %x20-21 / %x23-5B / %x5D-7E remain. */
export function toErrorDescription(text: string): string {
  return text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'")
}
