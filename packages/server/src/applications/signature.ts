import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { Clock } from '../kit/clock.ts'
import type { Sealer } from '../kit/seal.ts'
import type { ApplicationRecord } from './store.ts'

/** Where an Ed25519 key's sealed half stands (D51). */
export function keyContext(applicationId: string): string {
  return `application:${applicationId}:key`
}

/** The key pair that signs deliveries by HTTP (D51): the public half raw in hex, the private one as PKCS #8 in base64. */
export function makeKeys(): { publicKey: string; privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  return {
    // RFC 8410 §4: the last 32 bytes of the SubjectPublicKeyInfo are the key itself.
    publicKey: spki.subarray(spki.length - 32).toString('hex'),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
  }
}

/** The headers of a POST to the application's endpoint (D51). Throws SealBroken where SECRET_KEY is another. */
export type RequestSigner = (
  application: Pick<ApplicationRecord, 'id' | 'privateKeySealed'>,
  body: string,
) => Record<'X-Signature-Ed25519' | 'X-Signature-Timestamp', string>

const maxOpenKeys = 1000

export function createRequestSigner({ sealer, clock }: { sealer: Sealer; clock: Clock }): RequestSigner {
  const keys = new Map<string, KeyObject>()

  function keyOf({ id, privateKeySealed }: Parameters<RequestSigner>[0]): KeyObject {
    const name = `${id} ${privateKeySealed}`
    const open = keys.get(name)
    if (open) return open
    const der = Buffer.from(sealer.open(privateKeySealed, keyContext(id)), 'base64')
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    const [oldest] = keys.keys()
    if (keys.size >= maxOpenKeys && oldest !== undefined) keys.delete(oldest)
    keys.set(name, key)
    return key
  }

  return (application, body) => {
    const timestamp = String(Math.floor(clock() / 1000))
    return {
      'X-Signature-Ed25519': sign(null, Buffer.from(timestamp + body), keyOf(application)).toString('hex'),
      'X-Signature-Timestamp': timestamp,
    }
  }
}
