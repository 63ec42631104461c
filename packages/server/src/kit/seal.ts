import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { decodeBase64url, encodeBase64url } from './base64url.ts'

export type Sealer = ReturnType<typeof createSealer>

/** Is logged, so it does not contain the value. */
export class DecryptionError extends Error {
  constructor() {
    super('cannot decrypt the sealed value: it was changed, or sealed with another context or key')
    this.name = 'DecryptionError'
  }
}

const VERSION = 'v1'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts secrets that the service must read again, with AES-256-GCM and a key of 32 bytes. A sealed value is `v1.`
 * and base64url of nonce, ciphertext and tag (community/secrets).
 */
export function createSealer(key: Uint8Array) {
  if (key.length !== 32) throw new RangeError('The sealing key must have 32 bytes.')
  // A copy, because the caller may overwrite its buffer.
  const keyCopy = Buffer.from(key)
  return {
    /** `context` says where the value is stored (`webhook:<id>:token`). `open` requires the same one. */
    seal(text: string, context: string): string {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', keyCopy, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(additionalData(context))
      const parts = [nonce, cipher.update(text, 'utf8'), cipher.final()]
      return `${VERSION}.${encodeBase64url(Buffer.concat([...parts, cipher.getAuthTag()]))}`
    },
    /** Throws DecryptionError if the value was changed, or was sealed with another context or key. */
    open(sealed: string, context: string): string {
      const bytes = sealed.startsWith(`${VERSION}.`)
        ? decodeBase64url(sealed.slice(VERSION.length + 1))
        : undefined
      if (bytes === undefined || bytes.length < NONCE_BYTES + TAG_BYTES) throw new DecryptionError()
      const end = bytes.length - TAG_BYTES
      try {
        const options = { authTagLength: TAG_BYTES }
        const decipher = createDecipheriv('aes-256-gcm', keyCopy, bytes.subarray(0, NONCE_BYTES), options)
        decipher.setAAD(additionalData(context))
        decipher.setAuthTag(bytes.subarray(end))
        const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()])
        return text.toString('utf8')
      } catch {
        throw new DecryptionError()
      }
    },
  }
}

/** False if the value was sealed with another key. */
export function canOpen(sealer: Sealer, sealed: string, context: string): boolean {
  try {
    sealer.open(sealed, context)
    return true
  } catch (error) {
    if (error instanceof DecryptionError) return false
    throw error
  }
}

function additionalData(context: string): Buffer {
  return Buffer.from(`${VERSION}.${context}`, 'utf8')
}
