import { randomInt } from 'node:crypto'
import { recoveryCodes } from '@gatehouse/protocol/limits'
import { createMac } from '../../kit/secret.ts'

/** Crockford's base32: it has no letters that look like another character. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const length = 10

/** Codes such as `4x7kq-09mzt`, with 50 random bits each. */
export function generateRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodes }, () => {
    const code = Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('')
    return `${code.slice(0, length / 2)}-${code.slice(length / 2)}`
  })
}

/**
 * The stored form. An HMAC with the secret key of the service, because 50 bits are too few for a plain hash if the
 * database leaks.
 */
export function hashRecoveryCode(secretKey: Uint8Array, userId: string, code: string): string {
  const data = `${userId}\0${normalizeRecoveryCode(code)}`
  return createMac(secretKey, 'recovery code', data).toString('base64url')
}

/** Ignores case, spaces and dashes, and accepts the letters that the alphabet leaves out. */
function normalizeRecoveryCode(code: string): string {
  return code
    .toLowerCase()
    .replace(/[\s\p{Pd}]/gu, '')
    .replaceAll('o', '0')
    .replace(/[il]/g, '1')
}
