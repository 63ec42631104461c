import type { Clock } from '../kit/clock.ts'
import type { Sql, Transaction } from '../storage/database.ts'
import type { AuthorizationRequest } from './authorize/request.ts'
import * as store from './consents/store.ts'
import { isInstallation, isPersonal, type Meaning, type Scopes } from './scopes.ts'

/** What a person may untick on the screen (D17). */
const optional: readonly Meaning[] = ['email', 'servers']

/** The optional ones of a request; none where nothing would remain without them. */
export function optionalOf(scopes: Scopes): Meaning[] {
  const personal = scopes.meanings.filter(isPersonal)
  return personal.every(meaning => optional.includes(meaning))
    ? []
    : personal.filter(one => optional.includes(one))
}

/** The scopes that remain with what was left ticked. */
export function granted(scopes: Scopes, ticked: readonly string[]): Scopes {
  const unticked = optionalOf(scopes).filter(meaning => !ticked.includes(meaning))
  return scopes.filter(meaning => !unticked.includes(meaning))
}

/** Whether this request is answered without the screen where its scopes were allowed before (D17, D71). */
export function mayBeSilent(request: AuthorizationRequest, confirmUnverifiedApps: boolean): boolean {
  // A bot goes to a server that somebody has to choose.
  if (request.scopes.meanings.some(isInstallation)) return false
  // select_account: the screen says which account is signed in, and lets one change it.
  if (request.prompt.has('consent') || request.prompt.has('select_account')) return false
  // RFC 8252 §8.6: anybody on the machine may sit behind such an address.
  const unverified = request.client.type === 'public' && !request.redirectUri?.startsWith('https:')
  return !(confirmUnverifiedApps && unverified)
}

/** Whether all of `scopes` was allowed before. */
export async function isAllowed(
  sql: Sql,
  userId: string,
  applicationId: string,
  scopes: Scopes,
): Promise<boolean> {
  const personal = scopes.meanings.filter(isPersonal)
  return (await store.countConsents(sql, userId, applicationId, personal)) === personal.length
}

/** The same within the transaction that makes use of it: a withdrawal waits until it has ended, or was before it. */
export async function stillAllowed(
  tx: Transaction,
  clock: Clock,
  userId: string,
  applicationId: string,
  scopes: Scopes,
): Promise<boolean> {
  const personal = scopes.meanings.filter(isPersonal)
  const touched = await store.touchConsents(tx, userId, applicationId, personal, clock())
  return touched === personal.length
}

/** Remembers what the person allowed (D17). */
export async function remember(
  tx: Transaction,
  clock: Clock,
  userId: string,
  applicationId: string,
  scopes: Scopes,
): Promise<void> {
  const now = clock()
  for (const scope of scopes.meanings.filter(isPersonal)) {
    await store.insertConsent(tx, { userId, applicationId, scope, now })
  }
}
