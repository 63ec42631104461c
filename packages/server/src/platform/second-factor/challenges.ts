import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { secondFactorSeconds } from '@gatehouse/protocol/limits'
import type { Clock } from '../../kit/clock.ts'
import { hashSecret } from '../../kit/secret.ts'
import type { Transaction } from '../../storage/database.ts'
import { spendChallenge } from './store.ts'

/**
 * Challenges for passkeys (WebAuthn §13.4.3): random, for one purpose and one holder, for five minutes, once. They carry
 * the proof of that themselves, so that whoever merely opens the page of the sign-in leaves nothing behind; what is kept
 * are those that were used.
 */
export interface Challenges {
  /** base64url, as `navigator.credentials` takes it. */
  make(purpose: ChallengePurpose, holder: string): string
  /** Whether it was made for these, and when it ends; undefined where it was not, or is over. */
  read(challenge: string, purpose: ChallengePurpose, holder: string): ReadChallenge | undefined
}

export type ChallengePurpose = 'register' | 'second factor' | 'alone'

export interface ReadChallenge {
  /** True for the one who uses it. */
  use(tx: Transaction): Promise<boolean>
}

const NONCE_BYTES = 16
const TIME_BYTES = 6
const BODY_BYTES = NONCE_BYTES + TIME_BYTES
const TAG_BYTES = 32

export function createChallenges({ clock, secretKey }: { clock: Clock; secretKey: Uint8Array }): Challenges {
  function tagOf(body: Buffer, purpose: ChallengePurpose, holder: string): Buffer {
    return createHmac('sha256', secretKey)
      .update('passkey challenge\0')
      .update(`${purpose}\0${holder}\0`)
      .update(body)
      .digest()
  }

  return {
    make(purpose, holder) {
      const body = randomBytes(BODY_BYTES)
      body.writeUIntBE(clock() + secondFactorSeconds * 1000, NONCE_BYTES, TIME_BYTES)
      return Buffer.concat([body, tagOf(body, purpose, holder)]).toString('base64url')
    },
    read(challenge, purpose, holder) {
      const bytes = Buffer.from(challenge, 'base64url')
      if (bytes.length !== BODY_BYTES + TAG_BYTES) return undefined
      const body = bytes.subarray(0, BODY_BYTES)
      if (!timingSafeEqual(bytes.subarray(BODY_BYTES), tagOf(body, purpose, holder))) return undefined
      const expiresAt = body.readUIntBE(NONCE_BYTES, TIME_BYTES)
      if (expiresAt <= clock()) return undefined
      return { use: tx => spendChallenge(tx, hashSecret(bytes.toString('base64url')), expiresAt) }
    },
  }
}
