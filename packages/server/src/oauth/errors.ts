import type { OAuthErrorCode } from '@gatehouse/protocol/errors'
import type { ErrorDialect } from '../http/errors.ts'
import { AppError, type ErrorCode } from '../kit/app-error.ts'

const carriers = {
  invalid_client: 'unauthenticated',
  invalid_token: 'unauthenticated',
  insufficient_scope: 'missing_scope',
} as const satisfies Partial<Record<OAuthErrorCode, ErrorCode>>

/** An expected failure of an OAuth endpoint, in the words of RFC 6749 §5.2 and RFC 6750 §3.1. */
export class OAuthError extends AppError {
  readonly error: OAuthErrorCode
  /** The scope that is missing, with `insufficient_scope` alone. */
  readonly scope: string | undefined

  constructor(error: OAuthErrorCode, description: string, scope?: string) {
    super(carrierOf(error), description)
    this.name = 'OAuthError'
    this.error = error
    this.scope = scope
  }
}

function carrierOf(error: OAuthErrorCode): ErrorCode {
  const known: Partial<Record<OAuthErrorCode, ErrorCode>> = carriers
  return known[error] ?? 'validation_failed'
}

/** RFC 6749 §3.3: an error of the token endpoint that says nothing of which part of a credential was wrong. */
export function invalidClient(): OAuthError {
  return new OAuthError('invalid_client', 'Client authentication failed.')
}

export function invalidGrant(): OAuthError {
  return new OAuthError('invalid_grant', 'The code or token is invalid, expired, revoked or used already.')
}

// RFC 6749 §5.1, §5.2: nothing of a token endpoint is kept by a cache.
const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' } as const

/** Headers of an answer with a token in it. */
export const tokenHeaders = noStore

/** Token and introspection: JSON of RFC 6749 §5.2; 401 carries a challenge (RFC 9110 §15.5.2). */
export const tokenDialect: ErrorDialect = error => ({
  status: statusOf(error),
  headers: {
    ...noStore,
    ...(error.status === 401 ? { 'www-authenticate': 'Basic realm="oauth2", charset="UTF-8"' } : {}),
  },
  body: bodyOf(error),
})

/** Userinfo: the error stands in the challenge too (RFC 6750 §3); without a credential the challenge stands alone. */
export const bearerDialect: ErrorDialect = error => {
  if (!(error instanceof OAuthError)) {
    const headers = error.status === 401 ? { 'www-authenticate': 'Bearer' } : {}
    return { status: statusOf(error), headers: { ...noStore, ...headers }, body: bodyOf(error) }
  }
  const scope = error.scope === undefined ? '' : `, scope="${error.scope}"`
  const challenge = `Bearer error="${error.error}", error_description="${error.message}"${scope}`
  return {
    status: error.status,
    headers: { ...noStore, 'www-authenticate': challenge },
    body: bodyOf(error),
  }
}

/** Revocation: always an empty object. What the caller did wrong is 200 too (D20); what we could not do is not. */
export const revokeDialect: ErrorDialect = error => ({
  status: [400, 401, 415].includes(error.status) ? 200 : error.status,
  headers: noStore,
  body: {},
})

// RFC 6749 §5.2: what is wrong with a request is 400, a body of another type too.
function statusOf(error: AppError): number {
  return error.status === 415 ? 400 : error.status
}

function bodyOf(error: AppError): { error: OAuthErrorCode; error_description: string } {
  return { error: codeOf(error), error_description: asDescription(error.message) }
}

/** The code for what was not thrown as one of ours. */
function codeOf(error: AppError): OAuthErrorCode {
  if (error instanceof OAuthError) return error.error
  if (error.status === 429 || error.status === 503) return 'temporarily_unavailable'
  if (error.status >= 500) return 'server_error'
  return error.status === 401 ? 'invalid_token' : 'invalid_request'
}

/** RFC 6749 §4.1.2.1: %x20-21 / %x23-5B / %x5D-7E. */
export function asDescription(text: string): string {
  return text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'")
}
