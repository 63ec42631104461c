import { idTokenSeconds } from '@gatehouse/protocol/limits'
import type { SelfUser } from '@gatehouse/protocol/users'
import { compactVerify, createLocalJWKSet, errors } from 'jose'
import { isMultiFactor } from '../accounts/second-factor/index.ts'
import { emailClaims, profileClaims } from './claims.ts'
import type { Deps } from './oauth-deps.ts'
import type { Scopes } from './scopes.ts'
import type { SigningKeys } from './signing-keys.ts'

/** The content of an ID token. */
export interface Identity {
  user: SelfUser
  applicationId: string
  scopes: Scopes
  /** Milliseconds. */
  authTime: number
  /** RFC 8176. */
  amr: readonly string[]
  /** `hashSecret` of the access token. */
  accessHash: string
  /** The claims of the scope `groups`. */
  groups: Readonly<Record<string, string[]>>
  /** From the authorization request. A refreshed ID token has none (OIDC Core §12.2). */
  nonce?: string | undefined
  /** The session, for clients with back-channel logout (Back-Channel Logout §2.1). */
  sid?: string | undefined
}

/** The claims of an ID token that a client sends as `id_token_hint`. */
export interface IdTokenHint {
  subject: string
  applicationId: string
  sid: string | undefined
}

/** OIDC Core §2: the policies of PAPE §4 say whether the user authenticated with a second factor. */
export const acrValues = {
  multiFactor: 'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
  passwordOnly: 'http://schemas.openid.net/pape/policies/2007/06/none',
} as const

export type IdTokens = ReturnType<typeof createIdTokens>

export function createIdTokens({ clock, baseUrl }: Pick<Deps, 'clock' | 'baseUrl'>, keys: SigningKeys) {
  /** Returns a signed ID token (sign-in/id-token-claims). */
  function sign(identity: Identity): Promise<string> {
    return keys.sign('JWT', toClaims(identity))
  }

  function toClaims(identity: Identity): Record<string, unknown> {
    const { user, applicationId, scopes, authTime, amr, accessHash, groups, nonce, sid } = identity
    const issuedAt = Math.floor(clock() / 1000)
    return {
      // First, so that no other claim can be replaced.
      ...groups,
      iss: baseUrl,
      aud: applicationId,
      iat: issuedAt,
      exp: issuedAt + idTokenSeconds,
      auth_time: Math.floor(authTime / 1000),
      acr: isMultiFactor(amr) ? acrValues.multiFactor : acrValues.passwordOnly,
      amr,
      at_hash: leftHalf(accessHash),
      nonce,
      sid,
      sub: user.id,
      ...profileClaims(user, baseUrl),
      ...(scopes.has('email') ? emailClaims(user) : {}),
    }
  }

  /**
   * Returns the claims of an ID token that this service issued, even if it has expired or its key is no longer
   * published. Otherwise returns undefined.
   */
  async function readHint(token: string): Promise<IdTokenHint | undefined> {
    const publicKeys = createLocalJWKSet({ keys: await keys.listHintKeys() })
    try {
      // Does not use the algorithm of the token's header, which could be `none` or HS256 (OIDC Core §3.1.3.7).
      const { payload, protectedHeader } = await compactVerify(token, publicKeys, { algorithms: ['RS256'] })
      // Logout tokens are signed with the same keys, but have another `typ` (RFC 8725 §3.11).
      if (protectedHeader.typ !== 'JWT') return undefined
      const { iss, aud, sub, sid } = JSON.parse(new TextDecoder().decode(payload))
      return iss === baseUrl ? { subject: sub, applicationId: aud, sid } : undefined
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }

  /** Like `readHint`, for an ID token that was issued to the application (OIDC Core §3.1.2.1). */
  async function findHintSubject(token: string, applicationId: string): Promise<string | undefined> {
    const hint = await readHint(token)
    return hint?.applicationId === applicationId ? hint.subject : undefined
  }

  return { sign, readHint, findHintSubject }
}

/** OIDC Core §3.1.3.6: the left half of the SHA-256 hash, which `hashSecret` has computed. */
function leftHalf(hash: string): string {
  return Buffer.from(hash, 'base64url').subarray(0, 16).toString('base64url')
}
