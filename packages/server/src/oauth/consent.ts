import type { SelfUser } from '@gatehouse/protocol/users'
import type { Sql, Transaction } from '../storage/database.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import * as store from './consent-store.ts'
import type { CanonicalScope, Scopes } from './scopes.ts'

/** The scopes that the user can deselect on the consent page (sign-in/consent-remembered). */
const optionalScopes: readonly CanonicalScope[] = ['email', 'servers']

/**
 * The optional scopes of a request. If all of its scopes are optional, none of them can be deselected. An application
 * can require `email` (sign-in/email-required).
 */
export function listOptionalScopes({ client, scopes: { user } }: AuthorizationRequest): CanonicalScope[] {
  const isRequired = (scope: CanonicalScope) => scope === 'email' && client.emailRequired
  const optional = user.filter(scope => optionalScopes.includes(scope) && !isRequired(scope))
  return optional.length === user.length ? [] : optional
}

/** Whether the user verifies the email address before the application receives it (sign-in/email-verified-only). */
export function needsVerification({ client, scopes }: AuthorizationRequest, user: SelfUser): boolean {
  return client.emailRequired && client.emailVerifiedOnly && scopes.has('email') && !user.emailVerified
}

/** The scopes of the request without the optional ones that are not in `selected`. */
export function selectScopes(request: AuthorizationRequest, selected: readonly string[]): Scopes {
  return request.scopes.without(listOptionalScopes(request).filter(scope => !selected.includes(scope)))
}

/**
 * Whether the consent page can be skipped if the user has consented before (sign-in/consent-remembered,
 * sign-in/confirm-unverified-apps).
 */
export function canSkipConsentPage(request: AuthorizationRequest, confirmUnverifiedApps: boolean): boolean {
  // The user has to choose the server.
  if (request.scopes.installation.length > 0) return false
  // select_account: the page shows the account and offers to change it.
  if (request.prompt.has('consent') || request.prompt.has('select_account')) return false
  // RFC 8252 §8.6: another application on the same device may receive the redirect.
  const isUnverified = request.client.type === 'public' && !request.redirectUri?.startsWith('https:')
  return !(confirmUnverifiedApps && isUnverified)
}

/** Whether the user has consented to all of the scopes. */
export async function hasConsent(sql: Sql, userId: string, request: AuthorizationRequest): Promise<boolean> {
  const { user } = request.scopes
  return (await store.countConsents(sql, userId, request.client.id, user)) === user.length
}

/**
 * Checks the consent again in the transaction that issues the code, and locks it until the transaction ends: a
 * revocation that runs in parallel either prevents the code or deletes it.
 */
export async function lockConsent(
  tx: Transaction,
  now: number,
  userId: string,
  { client, scopes }: AuthorizationRequest,
): Promise<boolean> {
  return (await store.touchConsents(tx, userId, client.id, scopes.user, now)) === scopes.user.length
}
