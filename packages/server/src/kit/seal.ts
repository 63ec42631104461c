import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { decodeBase64url, encodeBase64url } from './base64url.ts'

export interface Sealer {
  /** `context` names where the value stands (`webhook:<id>:token`): opened under another, it does not open. */
  seal(text: string, context: string): string
  /** Throws SealBroken where the value was changed, moved, or sealed with another key. */
  open(sealed: string, context: string): string
}

/** Says nothing of the value: it goes into logs. */
export class SealBroken extends Error {
  constructor() {
    super('the sealed value does not open: it was changed, moved, or sealed with another key')
    this.name = 'SealBroken'
  }
}

const VERSION = 'v1'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** AES-256-GCM under a key of 32 bytes (D6). Sealed: `v1.` and base64url of nonce, ciphertext, tag. */
export function createSealer(key: Uint8Array): Sealer {
  if (key.length !== 32) throw new RangeError('the sealing key has 32 bytes')
  const ownKey = Buffer.from(key)
  return {
    seal(text, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', ownKey, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(associated(context))
      const parts = [nonce, cipher.update(text, 'utf8'), cipher.final()]
      return `${VERSION}.${encodeBase64url(Buffer.concat([...parts, cipher.getAuthTag()]))}`
    },
    open(sealed, context) {
      const bytes = sealed.startsWith(`${VERSION}.`)
        ? decodeBase64url(sealed.slice(VERSION.length + 1))
        : undefined
      if (bytes === undefined || bytes.length < NONCE_BYTES + TAG_BYTES) throw new SealBroken()
      const end = bytes.length - TAG_BYTES
      try {
        const options = { authTagLength: TAG_BYTES }
        const decipher = createDecipheriv('aes-256-gcm', ownKey, bytes.subarray(0, NONCE_BYTES), options)
        decipher.setAAD(associated(context))
        decipher.setAuthTag(bytes.subarray(end))
        const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()])
        return text.toString('utf8')
      } catch {
        throw new SealBroken()
      }
    },
  }
}

function associated(context: string): Buffer {
  return Buffer.from(`${VERSION}.${context}`, 'utf8')
}
