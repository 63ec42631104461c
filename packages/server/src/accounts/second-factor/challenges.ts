import { randomBytes, timingSafeEqual } from 'node:crypto'
import { secondFactorSeconds } from '@gatehouse/protocol/limits'
import type { Clock } from '../../kit/clock.ts'
import { createMac, hashSecret } from '../../kit/secret.ts'
import type { Transaction } from '../../storage/database.ts'
import { insertUsedChallenge } from './second-factor-store.ts'

/** The values are part of the MAC. A change invalidates the challenges that browsers have. */
export const challengePurposes = {
  registration: 'register',
  secondFactor: 'second factor',
  passwordless: 'alone',
  settings: 'settings',
} as const

export type ChallengePurpose = (typeof challengePurposes)[keyof typeof challengePurposes]

const NONCE_BYTES = 16
const EXPIRY_BYTES = 6
const BODY_BYTES = NONCE_BYTES + EXPIRY_BYTES
const MAC_BYTES = 32

/**
 * WebAuthn challenges (WebAuthn §13.4.3): random, bound to a purpose and a holder, valid for five minutes and for one
 * use. A challenge carries its own expiry and MAC, so that a request for a sign-in page writes nothing to the database.
 * Only used challenges are stored.
 */
export function createChallenges({ clock, secretKey }: { clock: Clock; secretKey: Uint8Array }) {
  function macOf(body: Buffer, purpose: ChallengePurpose, holder: string): Buffer {
    const data = Buffer.concat([Buffer.from(`${purpose}\0${holder}\0`), body])
    return createMac(secretKey, 'passkey challenge', data)
  }

  /** Returns base64url, as `navigator.credentials` accepts it. `holder` is a session, an MFA ticket or a browser. */
  function createChallenge(purpose: ChallengePurpose, holder: string): string {
    const body = randomBytes(BODY_BYTES)
    body.writeUIntBE(clock() + secondFactorSeconds * 1000, NONCE_BYTES, EXPIRY_BYTES)
    return Buffer.concat([body, macOf(body, purpose, holder)]).toString('base64url')
  }

  /**
   * Undefined if the challenge is for another purpose or holder, or has expired. `consume` returns false if the
   * challenge was used before.
   */
  function verifyChallenge(
    challenge: string,
    purpose: ChallengePurpose,
    holder: string,
  ): { consume(tx: Transaction): Promise<boolean> } | undefined {
    const bytes = Buffer.from(challenge, 'base64url')
    if (bytes.length !== BODY_BYTES + MAC_BYTES) return undefined
    const body = bytes.subarray(0, BODY_BYTES)
    if (!timingSafeEqual(bytes.subarray(BODY_BYTES), macOf(body, purpose, holder))) return undefined
    const expiresAt = body.readUIntBE(NONCE_BYTES, EXPIRY_BYTES)
    if (expiresAt <= clock()) return undefined
    return {
      // Hashes the canonical form, because base64url has several spellings of the same bytes.
      consume: tx => insertUsedChallenge(tx, hashSecret(bytes.toString('base64url')), expiresAt),
    }
  }

  return { createChallenge, verifyChallenge }
}
