import type { OAuthErrorCode } from '@gatehouse/protocol/errors'
import { AppError } from '../errors/app-error.ts'
import { StorageUnavailable } from '../storage/database.ts'
import type { ResponseTarget } from './authorization-request.ts'
import { nonRedirectableError, RedirectableError, toErrorDescription } from './oauth-errors.ts'
import { appendQuery } from './redirect-uri.ts'

/**
 * The location of a successful authorization response (RFC 6749 §4.1.2, RFC 9207 §2). Without a redirect URI it is a
 * page that confirms the installation (sign-in/bot-installation-response).
 */
export function successLocation(
  baseUrl: string,
  target: ResponseTarget,
  response: Readonly<Record<string, string>>,
): string {
  if (target.redirectUri === undefined) {
    return appendQuery('/oauth2/done', {
      client_id: target.client.id,
      server_id: response.server_id,
      ui_locales: target.uiLocales,
    })
  }
  return appendQuery(target.redirectUri, { ...response, state: target.state, iss: baseUrl })
}

/**
 * The location of an authorization error response (RFC 6749 §4.1.2.1). An AppError is a refused installation, unless it
 * is `cross_site`: a form of another site must not redirect. Without a redirect URI, the user cannot be sent back: a
 * denial by the user leads to a page, and other errors are thrown as an AppError.
 */
export function errorLocation(
  { baseUrl, onError }: { baseUrl: string; onError: (error: unknown) => void },
  target: Pick<ResponseTarget, 'redirectUri' | 'state'> & Partial<Pick<ResponseTarget, 'uiLocales'>>,
  thrown: unknown,
): string {
  const isRefused = thrown instanceof AppError
  if (isRefused && (target.redirectUri === undefined || thrown.code === 'cross_site')) throw thrown
  const isRedirectable = thrown instanceof RedirectableError
  if (!isRedirectable && !isRefused) onError(thrown)
  const { error, message } = isRedirectable
    ? thrown
    : isRefused
      ? { error: 'access_denied' as const, message: thrown.message }
      : toServerError(thrown)
  if (target.redirectUri === undefined) {
    if (error === 'access_denied') {
      return appendQuery('/oauth2/done', { cancelled: '1', ui_locales: target.uiLocales })
    }
    if (!isRedirectable) throw thrown
    throw nonRedirectableError('error.applicationError', { technical: `${error}: ${message}` })
  }
  return appendQuery(target.redirectUri, {
    error,
    error_description: toErrorDescription(message),
    state: target.state,
    iss: baseUrl,
  })
}

/** RFC 6749 §4.1.2.1: a redirect cannot have the status 500 or 503, so an error code replaces it. */
function toServerError(thrown: unknown): { error: OAuthErrorCode; message: string } {
  return thrown instanceof StorageUnavailable
    ? { error: 'temporarily_unavailable', message: 'The database is not available at the moment.' }
    : { error: 'server_error', message: 'An internal error occurred.' }
}
