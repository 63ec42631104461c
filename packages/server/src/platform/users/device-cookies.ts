import { randomBytes } from 'node:crypto'
import { constantTimeEqual, createMac } from '../../kit/secret.ts'

/**
 * Device cookies (OWASP, Slow Down Online Guessing Attacks with Device Cookies): a browser in which a user has signed in
 * before is exempt from the limit per account, so that an attacker cannot lock the user out (sign-in/client-guessing). A
 * device cookie does not authenticate the user, and the server does not store it.
 */
export function createDeviceCookies(secretKey: Uint8Array) {
  function sign(nonce: string, userId: string): string {
    return `${nonce}.${createMac(secretKey, 'device', `${userId}\0${nonce}`).toString('base64url')}`
  }
  return {
    issue(userId: string): string {
      return sign(randomBytes(16).toString('base64url'), userId)
    },
    verify(cookie = '', userId: string): boolean {
      const [nonce = ''] = cookie.split('.')
      return constantTimeEqual(cookie, sign(nonce, userId))
    },
  }
}
