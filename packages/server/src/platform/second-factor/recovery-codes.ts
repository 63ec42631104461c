import { createHmac, randomInt } from 'node:crypto'
import { recoveryCodes } from '@gatehouse/protocol/limits'

/** Crockford's base32: no letter that is read as another. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const length = 10

/** Codes for the day on which all else is lost, as `4x7kq-09mzt`: 50 random bits each. */
export function makeRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodes }, () => {
    const code = Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('')
    return `${code.slice(0, length / 2)}-${code.slice(length / 2)}`
  })
}

/** The form in which one is kept: 50 bits could be guessed from a bare sum, so the service's key is in it. */
export function hashRecoveryCode(secretKey: Uint8Array, userId: string, code: string): string {
  return createHmac('sha256', secretKey)
    .update('recovery code\0')
    .update(`${userId}\0${readAsWritten(code)}`)
    .digest('base64url')
}

/** What people make of it on the way: case, gaps, and the letters that the alphabet leaves out. */
function readAsWritten(code: string): string {
  return code
    .toLowerCase()
    .replace(/[\s\p{Pd}]/gu, '')
    .replaceAll('o', '0')
    .replace(/[il]/g, '1')
}
