import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Browsers in which a person has signed in before, so that somebody else's guessing does not lock them out (D75). The
 * mark is kept by the browser alone; it opens nothing.
 */
export interface Devices {
  mark(userId: string): string
  knows(mark: string | undefined, userId: string): boolean
}

export function createDevices(secretKey: Uint8Array): Devices {
  function seal(nonce: string, userId: string): Buffer {
    return createHmac('sha256', secretKey).update('device\0').update(`${userId}\0${nonce}`).digest()
  }
  return {
    mark(userId) {
      const nonce = randomBytes(16).toString('base64url')
      return `${nonce}.${seal(nonce, userId).toString('base64url')}`
    },
    knows(mark, userId) {
      const [nonce = '', given = ''] = mark?.split('.') ?? []
      const expected = seal(nonce, userId)
      const bytes = Buffer.from(given, 'base64url')
      return bytes.length === expected.length && timingSafeEqual(bytes, expected)
    },
  }
}
