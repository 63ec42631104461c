import { hash } from 'node:crypto'
import { codeChallengeLength, maxCodeVerifier, minCodeVerifier } from '@gatehouse/protocol/limits'
import type { ClientRecord } from '../applications/index.ts'
import { constantTimeEqual } from '../kit/secret.ts'
import { invalidGrant, invalidRequest } from './oauth-errors.ts'

const challengePattern = new RegExp(`^[A-Za-z0-9_-]{${codeChallengeLength}}$`)
// RFC 7636 §4.1: unreserved characters.
const verifierPattern = new RegExp(`^[A-Za-z0-9._~-]{${minCodeVerifier},${maxCodeVerifier}}$`)

/** Whether a `code_challenge` has the form that `S256` gives it (RFC 7636 §4.2). */
export function isCodeChallenge(text: string): boolean {
  return challengePattern.test(text)
}

/**
 * RFC 7636 §4.6. A code without a code_challenge needs a client with a secret (sign-in/pkce-required). A code_verifier
 * without a code_challenge is an error too: it prevents the PKCE downgrade attack (RFC 9700 §2.1.1). Throws OAuthError.
 */
export function checkCodeVerifier(
  { secretHash }: Pick<ClientRecord, 'secretHash'>,
  challenge: string | null,
  verifier: string | undefined,
): void {
  if (challenge === null) {
    if (verifier === undefined && secretHash !== null) return
    throw invalidGrant('The authorization request had no code_challenge.')
  }
  if (verifier === undefined) throw invalidGrant('The code_verifier is missing.')
  if (!verifierPattern.test(verifier)) {
    throw invalidRequest(
      `The code_verifier must have ${minCodeVerifier} to ${maxCodeVerifier} characters of A-Z, a-z, 0-9 and -._~.`,
    )
  }
  if (!constantTimeEqual(hash('sha256', verifier, 'base64url'), challenge)) {
    throw invalidGrant('The code_verifier does not match the code_challenge.')
  }
}
