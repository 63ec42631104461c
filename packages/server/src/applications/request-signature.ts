import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { canOpen } from '../kit/seal.ts'
import type { Deps } from './application-deps.ts'
import { type ApplicationRecord, listPrivateKeys, setSigningKeys } from './application-store.ts'

/** The context in which the private key is encrypted. */
export function signingKeyContext(applicationId: string): string {
  return `application:${applicationId}:key`
}

/** An Ed25519 key pair (bots/endpoint-signature): the raw public key in hex, the private key as PKCS #8 in base64. */
export function generateSigningKeys(): { publicKey: string; privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  return {
    // RFC 8410 §4: the last 32 bytes of the SubjectPublicKeyInfo are the raw key.
    publicKey: spki.subarray(spki.length - 32).toString('hex'),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
  }
}

/**
 * Returns the signature headers of a request to the application's endpoint (bots/endpoint-signature). Throws
 * DecryptionError if the private key was encrypted with another SECRET_KEY.
 */
export type RequestSigner = (
  application: Pick<ApplicationRecord, 'id' | 'privateKeySealed'>,
  body: string,
) => Record<'X-Signature-Ed25519' | 'X-Signature-Timestamp', string>

const replacedAtOnce = 100

/**
 * Makes new key pairs for the applications whose key was sealed with another SECRET_KEY. Returns their number. The
 * developers must copy the new public key.
 */
export async function replaceUnreadableKeys({ db, sealer }: Pick<Deps, 'db' | 'sealer'>): Promise<number> {
  let replaced = 0
  for (let after = ''; ; ) {
    const records = await listPrivateKeys(db, after, replacedAtOnce)
    for (const { id, privateKeySealed } of records) {
      after = id
      if (canOpen(sealer, privateKeySealed, signingKeyContext(id))) continue
      const { publicKey, privateKey } = generateSigningKeys()
      await setSigningKeys(db, id, {
        publicKey,
        privateKeySealed: sealer.seal(privateKey, signingKeyContext(id)),
      })
      replaced++
    }
    if (records.length < replacedAtOnce) return replaced
  }
}

const maxCachedKeys = 1000

export function createRequestSigner({ sealer, clock }: Pick<Deps, 'sealer' | 'clock'>): RequestSigner {
  /** Saves the decryption and parsing of the key for each request. */
  const cache = new Map<string, KeyObject>()

  function openKey({ id, privateKeySealed }: Parameters<RequestSigner>[0]): KeyObject {
    const cacheKey = `${id} ${privateKeySealed}`
    const cached = cache.get(cacheKey)
    if (cached) return cached
    const der = Buffer.from(sealer.open(privateKeySealed, signingKeyContext(id)), 'base64')
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    const [oldest] = cache.keys()
    if (cache.size >= maxCachedKeys && oldest !== undefined) cache.delete(oldest)
    cache.set(cacheKey, key)
    return key
  }

  return (application, body) => {
    const timestamp = String(Math.floor(clock() / 1000))
    return {
      'X-Signature-Ed25519': sign(null, Buffer.from(timestamp + body), openKey(application)).toString('hex'),
      'X-Signature-Timestamp': timestamp,
    }
  }
}
