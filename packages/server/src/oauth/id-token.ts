import { idTokenSeconds } from '@gatehouse/protocol/limits'
import type { SelfUser } from '@gatehouse/protocol/users'
import { type CryptoKey, compactVerify, decodeProtectedHeader, errors } from 'jose'
import type { Clock } from '../kit/clock.ts'
import { isMultiFactor } from '../platform/second-factor/index.ts'
import type { Scopes } from './scopes.ts'
import type { SigningKeys } from './signing-keys.ts'

interface IdTokenDeps {
  clock: Clock
  baseUrl: string
  keys: Pick<SigningKeys, 'sign' | 'find'>
}

/** What is said of a person, and to whom. `authTime` in milliseconds. */
export interface Identity {
  person: SelfUser
  applicationId: string
  scopes: Scopes
  authTime: number
  /** How the person proved who they are, in the words of RFC 8176. */
  amr: readonly string[]
  /** `hashSecret` of the access token. */
  accessHash: string
  /** As the request sent it; none with a refresh (Core §12.2). */
  nonce?: string | undefined
  /** The session, for an application that is told of its end (Back-Channel Logout §2.1). */
  sid?: string | undefined
}

/** A signed id_token (D16). */
export function signIdToken(
  { clock, baseUrl, keys }: IdTokenDeps,
  { person, applicationId, scopes, authTime, amr, accessHash, nonce, sid }: Identity,
): Promise<string> {
  const issuedAt = Math.floor(clock() / 1000)
  return keys.sign('JWT', {
    iss: baseUrl,
    aud: applicationId,
    iat: issuedAt,
    exp: issuedAt + idTokenSeconds,
    auth_time: Math.floor(authTime / 1000),
    acr: acrOf(amr),
    amr,
    at_hash: leftHalf(accessHash),
    ...(nonce === undefined ? {} : { nonce }),
    ...(sid === undefined ? {} : { sid }),
    sub: person.id,
    ...profileClaims(person, baseUrl),
    ...(scopes.has('email') ? emailClaims(person) : {}),
  })
}

/** Core §2: the policies of PAPE §4 that name whether a second factor was shown. */
export const acrValues = {
  multiFactor: 'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
  passwordAlone: 'http://schemas.openid.net/pape/policies/2007/06/none',
} as const

function acrOf(amr: readonly string[]): string {
  return isMultiFactor(amr) ? acrValues.multiFactor : acrValues.passwordAlone
}

/** Core §5.1; `picture` is an absolute URL (D77). */
export function profileClaims(
  person: SelfUser,
  baseUrl: string,
): { preferred_username: string; name: string; picture: string } {
  return {
    preferred_username: person.username,
    name: person.displayName,
    picture: `${baseUrl}${person.avatar}`,
  }
}

/** Left out where the person has no address, never null (D15). */
export function emailClaims(person: SelfUser): { email?: string; email_verified?: boolean } {
  if (person.email === undefined) return {}
  return { email: person.email, email_verified: person.emailVerified ?? false }
}

/** What an id_token of ours says that comes back as a hint. */
export interface Hint {
  subject: string
  applicationId: string
  sid: string | undefined
}

/**
 * The subject of an id_token of ours that was made for `applicationId`, expired or not (Core §3.1.2.1); undefined where
 * it is not one.
 */
export async function subjectOfHint(
  deps: Omit<IdTokenDeps, 'clock'>,
  token: string,
  applicationId: string,
): Promise<string | undefined> {
  const hint = await readHint(deps, token)
  return hint?.applicationId === applicationId ? hint.subject : undefined
}

/** An id_token of ours, expired or not; undefined where it is none. */
export async function readHint(
  { baseUrl, keys }: Omit<IdTokenDeps, 'clock'>,
  token: string,
): Promise<Hint | undefined> {
  const kid = kidOf(token)
  const key = kid === undefined ? undefined : await keys.find(kid)
  if (!key) return undefined
  const payload = await verified(token, key)
  if (payload === undefined) return undefined
  const { iss, aud, sub, sid }: Record<string, unknown> = JSON.parse(payload)
  if (iss !== baseUrl || typeof aud !== 'string' || typeof sub !== 'string') return undefined
  return { subject: sub, applicationId: aud, sid: typeof sid === 'string' ? sid : undefined }
}

/** Undefined where it is no id_token: a logout_token is signed with the same keys (RFC 8725 §3.11). */
function kidOf(token: string): string | undefined {
  try {
    const { kid, typ } = decodeProtectedHeader(token)
    return typ === 'JWT' ? kid : undefined
  } catch {
    return undefined
  }
}

async function verified(token: string, key: CryptoKey): Promise<string | undefined> {
  try {
    // Never what the token says of itself: `none` and HS256 are no algorithms here (Core §3.1.3.7).
    const { payload } = await compactVerify(token, key, { algorithms: ['RS256'] })
    return new TextDecoder().decode(payload)
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

/** Core §3.1.3.6: the left half of the SHA-256 sum, which is there already. */
function leftHalf(sum: string): string {
  return Buffer.from(sum, 'base64url').subarray(0, 16).toString('base64url')
}
