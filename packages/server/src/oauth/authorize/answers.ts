import type { OAuthErrorCode } from '@gatehouse/protocol/errors'
import { AppError } from '../../kit/app-error.ts'
import { StorageUnavailable } from '../../storage/database.ts'
import { asDescription } from '../errors.ts'
import { withParameters } from '../redirect-uri.ts'
import { type AuthorizeDeps, type Outcome, redirect } from './outcome.ts'
import { dead, Refusal } from './refusal.ts'
import type { Target } from './request.ts'

/** RFC 6749 §4.1.2, RFC 9207 §2; the page that says it is done where there is no address to return to (D23). */
export function success(
  deps: AuthorizeDeps,
  target: Target,
  given: Readonly<Record<string, string>>,
): string {
  if (target.redirectUri === undefined) {
    return withParameters('/oauth2/done', { client_id: target.client.id, server_id: given.server_id })
  }
  return withParameters(target.redirectUri, { ...given, state: target.state, iss: deps.baseUrl })
}

/** RFC 6749 §4.1.2.1: back to the application where there is an address, else a page. */
export function refused(
  deps: Pick<AuthorizeDeps, 'baseUrl' | 'report'>,
  target: Pick<Target, 'redirectUri' | 'state'>,
  thrown: unknown,
): Outcome {
  if (thrown instanceof AppError) throw thrown
  const { error, message } = thrown instanceof Refusal ? thrown : unexpected(deps, thrown)
  if (target.redirectUri === undefined) {
    if (error === 'access_denied') return redirect(withParameters('/oauth2/done', { cancelled: '1' }))
    if (thrown instanceof Refusal) throw dead(message)
    throw thrown
  }
  const description = asDescription(message)
  const given = { error, error_description: description, state: target.state, iss: deps.baseUrl }
  return redirect(withParameters(target.redirectUri, given))
}

/** RFC 6749 §4.1.2.1: a 500 cannot be sent through a redirect, so these codes stand for it. */
function unexpected(
  deps: Pick<AuthorizeDeps, 'report'>,
  thrown: unknown,
): { error: OAuthErrorCode; message: string } {
  deps.report(thrown)
  return thrown instanceof StorageUnavailable
    ? { error: 'temporarily_unavailable', message: 'The service cannot reach its storage at the moment.' }
    : { error: 'server_error', message: 'Something went wrong on our side.' }
}
