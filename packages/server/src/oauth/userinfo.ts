import type { UserInfo } from '@gatehouse/protocol/oauth'
import { AppError } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import type { Database } from '../storage/database.ts'
import { OAuthError } from './errors.ts'
import { emailClaims, profileClaims } from './id-token.ts'
import type { Parameters } from './parameters.ts'
import { findPerson } from './people.ts'
import { authenticateBearer } from './tokens.ts'

interface UserinfoDeps {
  db: Database
  clock: Clock
  baseUrl: string
  userinfoScope: 'identify' | 'openid'
}

/**
 * What an application may know of the person; claims that are not granted or not there are left out (D15). Throws OAuthError,
 * `unauthenticated` without a token.
 */
export async function userinfo(deps: UserinfoDeps, token: string): Promise<UserInfo> {
  const caller = await authenticateBearer(deps.db, deps.clock, token)
  const person = caller && (await findPerson(deps.db, caller.userId))
  if (!caller || !person)
    throw new OAuthError('invalid_token', 'The access token is invalid, expired or revoked.')
  const has = (scope: string) => caller.scopes.includes(scope)
  if (!has('identify') && !(deps.userinfoScope === 'openid' && has('openid'))) {
    throw new OAuthError('insufficient_scope', 'The access token lacks the scope identify.', 'identify')
  }
  return {
    sub: person.id,
    ...(has('identify') ? profileClaims(person, deps.baseUrl) : {}),
    ...(has('email') ? emailClaims(person) : {}),
  }
}

/** RFC 6750 §2: by the header, or in a posted form; never in the address (RFC 9700 §4.3.2), never in two places. */
export function readBearer(authorization: string | undefined, query: Parameters, form: Parameters): string {
  const header = /^bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(authorization ?? '')?.[1]
  const posted = form.get('access_token')
  if (query.get('access_token') !== undefined) {
    throw new OAuthError('invalid_request', 'An access token has no place in an address.')
  }
  if (form.isRepeated('access_token') || (posted !== undefined && authorization !== undefined)) {
    throw new OAuthError('invalid_request', 'Send the access token once, in one place.')
  }
  const token = header ?? posted
  if (token !== undefined) return token
  if (authorization !== undefined)
    throw new OAuthError('invalid_token', 'The Authorization header holds no bearer token.')
  // RFC 6750 §3.1: nothing was sent, so nothing is said to be wrong with it.
  throw new AppError('unauthenticated', 'Send an access token.')
}
