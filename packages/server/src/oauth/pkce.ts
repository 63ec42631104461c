import { hash } from 'node:crypto'
import { codeChallengeLength, maxCodeVerifier, minCodeVerifier } from '@gatehouse/protocol/limits'
import { sameSecret } from '../kit/secret.ts'
import { invalidGrant, OAuthError } from './errors.ts'

const challenge = new RegExp(`^[A-Za-z0-9_-]{${codeChallengeLength}}$`)
// RFC 7636 §4.1: unreserved characters.
const verifier = new RegExp(`^[A-Za-z0-9._~-]{${minCodeVerifier},${maxCodeVerifier}}$`)

/** RFC 7636 §4.2: BASE64URL of SHA-256. */
export function isChallenge(text: string): boolean {
  return challenge.test(text)
}

/** RFC 7636 §4.6, and RFC 9700 §2.1.1: a verifier without a challenge is refused too. Throws OAuthError. */
export function checkVerifier(kept: string | null, sent: string | undefined): void {
  if (kept === null) {
    if (sent === undefined) return
    throw new OAuthError('invalid_grant', 'A code_verifier came, but the request had no code_challenge.')
  }
  if (sent === undefined) throw new OAuthError('invalid_grant', 'The code_verifier is missing.')
  if (!verifier.test(sent)) throw new OAuthError('invalid_request', 'The code_verifier is malformed.')
  if (!sameSecret(hash('sha256', sent, 'base64url'), kept)) throw invalidGrant()
}
