import { createPrivateKey, type KeyObject, randomBytes, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { idTokenSeconds, keyLeadSeconds } from '@gatehouse/protocol/limits'
import type { PublicKey } from '@gatehouse/protocol/oauth'
import { exportJWK, generateKeyPair } from 'jose'
import type { Sealer } from '../kit/seal.ts'
import type { Database } from '../storage/database.ts'
import type { Deps } from './deps.ts'
import { deleteSigningKey, insertSigningKey, listSigningKeys, type SigningKeyRecord } from './keys-store.ts'

/** sign-in/key-rotation: every running service loads a rotated key within 20 s. */
const reloadMs = 15_000

/** The max-age of the JWK Set response, in seconds. */
export const keysMaxAge = 3600

/** The `typ` header prevents that one kind of token is used as another (RFC 8725 §3.11). */
type TokenType = 'JWT' | 'logout+jwt'

type KeyDeps = Pick<Deps, 'db' | 'clock' | 'sealer'>

interface LoadedKeys {
  /** Milliseconds. */
  time: number
  records: readonly SigningKeyRecord[]
}

/** A decrypted key with the encoded JWS header for each token type. */
interface Signer {
  key: KeyObject
  headers: Record<TokenType, string>
}

// With a callback, node:crypto signs in its thread pool and does not block the event loop.
const signInThreadPool = promisify(sign)

export type SigningKeys = ReturnType<typeof createSigningKeys>

/**
 * The RS256 keys (sign-in/key-rotation). Reads them from the database every few seconds, because another node may rotate
 * them.
 */
export function createSigningKeys({ db, clock, sealer }: KeyDeps) {
  let loaded: LoadedKeys | undefined
  let loading: Promise<LoadedKeys> | undefined
  const signers = new Map<string, Signer>()

  /** Creates the first key if there is none. */
  async function load(): Promise<LoadedKeys> {
    let records = await listSigningKeys(db)
    if (records.length === 0) {
      await insertSigningKey(db, await generateKey(sealer, 1, clock(), clock()))
      records = await listSigningKeys(db)
    }
    return { time: clock(), records }
  }

  async function listKeys(): Promise<readonly SigningKeyRecord[]> {
    const age = loaded === undefined ? reloadMs : clock() - loaded.time
    if (loaded === undefined || age < 0 || age >= reloadMs) {
      loading ??= load().finally(() => {
        loading = undefined
      })
      loaded = await loading
    }
    return loaded.records
  }

  function openSigner({ kid, privateKeySealed }: SigningKeyRecord): Signer {
    const opened = signers.get(kid)
    if (opened !== undefined) return opened
    const key = JSON.parse(sealer.open(privateKeySealed, sealContextOf(kid)))
    const headers = { JWT: encodeHeader('JWT', kid), 'logout+jwt': encodeHeader('logout+jwt', kid) }
    const signer = { key: createPrivateKey({ key, format: 'jwk' }), headers }
    signers.set(kid, signer)
    return signer
  }

  async function currentSigner(): Promise<Signer> {
    const now = clock()
    const records = await listKeys()
    const active = records
      .filter(record => record.activeFrom <= now)
      .sort(byActivation)
      .at(-1)
    const current = active ?? records[0]
    if (current === undefined) throw new Error('There is no signing key.')
    return openSigner(current)
  }

  return {
    /** Returns a compact JWS (RFC 7515 §7.1). Omits claims that are undefined. */
    async sign(type: TokenType, claims: Readonly<Record<string, unknown>>): Promise<string> {
      const { key, headers } = await currentSigner()
      const input = `${headers[type]}.${encodeJson(claims)}`
      const signature = await signInThreadPool('sha256', Buffer.from(input), key)
      return `${input}.${signature.toString('base64url')}`
    },

    /** The public keys of the JWK Set (RFC 7517 §5): the next key, the current key, and keys of tokens that may still be valid. */
    async listPublicKeys(): Promise<PublicKey[]> {
      return filterUnexpired(await listKeys(), clock()).map(record => JSON.parse(record.publicKey))
    },

    /** Decrypts the current key, and creates it if there is none. Rejects if it was sealed with another SECRET_KEY. */
    async openSigningKey(): Promise<void> {
      await currentSigner()
    },
  }
}

function encodeHeader(typ: TokenType, kid: string): string {
  return encodeJson({ alg: 'RS256', typ, kid })
}

function encodeJson(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/**
 * Creates the next key. It is published immediately and signs one day later (sign-in/key-rotation), or immediately with
 * `now`, if the current key is compromised. `activeFrom` is in milliseconds.
 */
export async function rotateSigningKeys(
  { db, clock, sealer }: KeyDeps,
  options: { now?: boolean } = {},
): Promise<{ kid: string; activeFrom: number }> {
  for (;;) {
    const records = await listSigningKeys(db)
    const now = clock()
    const isImmediate = records.length === 0 || options.now === true
    const next = await generateKey(
      sealer,
      1 + Math.max(0, ...records.map(record => record.number)),
      now,
      isImmediate ? now : now + keyLeadSeconds * 1000,
    )
    if (await insertSigningKey(db, next)) return { kid: next.kid, activeFrom: next.activeFrom }
  }
}

/** Deletes the keys whose tokens have all expired. */
export async function sweepSigningKeys(db: Database, now: number): Promise<void> {
  const records = await listSigningKeys(db)
  const unexpired = filterUnexpired(records, now)
  for (const record of records) if (!unexpired.includes(record)) await deleteSigningKey(db, record.number)
}

/**
 * A key expires when its successor has been active for the lifetime of an ID token and of a cached JWK Set. Until then,
 * its tokens may be valid.
 */
function filterUnexpired(records: readonly SigningKeyRecord[], now: number): SigningKeyRecord[] {
  const sorted = [...records].sort(byActivation)
  const lifeMs = (idTokenSeconds + keysMaxAge) * 1000 + reloadMs
  return sorted.filter((_record, index) => {
    const successor = sorted[index + 1]
    return successor === undefined || now < successor.activeFrom + lifeMs
  })
}

function byActivation(a: SigningKeyRecord, b: SigningKeyRecord): number {
  return a.activeFrom - b.activeFrom || a.number - b.number
}

async function generateKey(
  sealer: Sealer,
  number: number,
  now: number,
  activeFrom: number,
): Promise<SigningKeyRecord> {
  const kid = randomBytes(12).toString('base64url')
  const pair = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true })
  const { kty, n, e } = await exportJWK(pair.publicKey)
  const privateKey = JSON.stringify(await exportJWK(pair.privateKey))
  return {
    number,
    kid,
    publicKey: JSON.stringify({ kty, n, e, kid, use: 'sig', alg: 'RS256' }),
    privateKeySealed: sealer.seal(privateKey, sealContextOf(kid)),
    createdAt: now,
    activeFrom,
  }
}

function sealContextOf(kid: string): string {
  return `oauth:signing-key:${kid}`
}
