import { randomBytes } from 'node:crypto'
import { constantTimeEqual, createMac } from '../../kit/secret.ts'
import type { UserRecord } from './user-store.ts'

type User = Pick<UserRecord, 'id' | 'emailVerified'>

/**
 * Device cookies (OWASP, Slow Down Online Guessing Attacks with Device Cookies): a browser in which a user has signed
 * in before is exempt from the limit per account, so that an attacker cannot lock the user out
 * (sign-in/password-guessing). A device cookie does not authenticate the user, and the server does not store it. It
 * ends when the email address is verified for the first time, because another person may have registered with it
 * (sign-in/reset-verifies-first).
 */
export function createDeviceCookies(secretKey: Uint8Array) {
  function sign(nonce: string, { id, emailVerified }: User): string {
    const data = `${id}\0${emailVerified}\0${nonce}`
    return `${nonce}.${createMac(secretKey, 'device', data).toString('base64url')}`
  }
  return {
    issue(user: User): string {
      return sign(randomBytes(16).toString('base64url'), user)
    },
    verify(cookie = '', user: User): boolean {
      const [nonce = ''] = cookie.split('.')
      return constantTimeEqual(cookie, sign(nonce, user))
    },
  }
}
