import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export type DeviceCookies = ReturnType<typeof createDeviceCookies>

/**
 * Device cookies (OWASP, Slow Down Online Guessing Attacks with Device Cookies): a browser in which a user has signed in
 * before is exempt from the limit per account, so that an attacker cannot lock the user out (sign-in/client-guessing). A
 * device cookie does not authenticate the user, and the server does not store it.
 */
export function createDeviceCookies(secretKey: Uint8Array) {
  function sign(nonce: string, userId: string): Buffer {
    return createHmac('sha256', secretKey).update('device\0').update(`${userId}\0${nonce}`).digest()
  }
  return {
    issue(userId: string): string {
      const nonce = randomBytes(16).toString('base64url')
      return `${nonce}.${sign(nonce, userId).toString('base64url')}`
    },
    verify(cookie: string | undefined, userId: string): boolean {
      const [nonce = '', mac = ''] = cookie?.split('.') ?? []
      const expected = sign(nonce, userId)
      const bytes = Buffer.from(mac, 'base64url')
      return bytes.length === expected.length && timingSafeEqual(bytes, expected)
    },
  }
}
