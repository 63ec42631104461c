import { createPrivateKey, type KeyObject, randomBytes, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { idTokenSeconds, keyLeadSeconds } from '@gatehouse/protocol/limits'
import type { PublicKey } from '@gatehouse/protocol/oauth'
import { type CryptoKey, exportJWK, generateKeyPair, importJWK } from 'jose'
import type { Clock } from '../kit/clock.ts'
import type { Sealer } from '../kit/seal.ts'
import type { Database } from '../storage/database.ts'
import {
  deleteSigningKey,
  insertSigningKey,
  listSigningKeys,
  type SigningKeyRecord,
} from './signing-keys/store.ts'

/** D77: a rotated key is known to every running service within 20 s. */
const RELOAD_MS = 15_000

/** How long an answer with the keys may be kept by others, in seconds. */
export const keysMaxAge = 3600

/** What a token is, in its header: one kind is never taken for another (RFC 8725 §3.11). */
type TokenType = 'JWT' | 'logout+jwt'

export interface SigningKeys {
  /** The claims with the signature of the key that signs now, as a compact JWS (RFC 7515 §7.1). */
  sign(type: TokenType, claims: Readonly<Record<string, unknown>>): Promise<string>
  /** The public halves of all keys that sign, will sign, or have signed what may still hold (RFC 7517 §5). */
  published(): Promise<PublicKey[]>
  /** The public key to check a signature with; undefined where it is not one of ours, or no longer. */
  find(kid: string): Promise<CryptoKey | undefined>
  /** Makes the first key where there is none, and opens the present one. Rejects where it was sealed with another SECRET_KEY. */
  prepare(): Promise<void>
}

interface KeyDeps {
  db: Database
  clock: Clock
  sealer: Sealer
}

interface Loaded {
  at: number
  records: readonly SigningKeyRecord[]
}

/** A key that is open, and the headers of what it signs, encoded. */
interface Signer {
  key: KeyObject
  headers: Record<TokenType, string>
}

// With a callback the signature is made on the runtime's own threads.
const signOutside = promisify(sign)

/** Keys of RS256 (D22), read again from the database every few seconds, since any node may rotate them. */
export function createSigningKeys({ db, clock, sealer }: KeyDeps): SigningKeys {
  let loaded: Loaded | undefined
  let loading: Promise<Loaded> | undefined
  const signers = new Map<string, Signer>()
  const imported = new Map<string, Promise<CryptoKey>>()

  async function read(): Promise<Loaded> {
    let records = await listSigningKeys(db)
    if (records.length === 0) {
      await insertSigningKey(db, await makeKey(sealer, 1, clock(), clock()))
      records = await listSigningKeys(db)
    }
    return { at: clock(), records }
  }

  async function load(): Promise<readonly SigningKeyRecord[]> {
    const age = loaded === undefined ? RELOAD_MS : clock() - loaded.at
    if (loaded === undefined || age < 0 || age >= RELOAD_MS) {
      loading ??= read().finally(() => {
        loading = undefined
      })
      loaded = await loading
    }
    return loaded.records
  }

  function importOnce({ kid, publicKey }: SigningKeyRecord): Promise<CryptoKey> {
    const known = imported.get(kid)
    if (known !== undefined) return known
    const made = importPublic(publicKey)
    imported.set(kid, made)
    made.catch(() => imported.delete(kid))
    return made
  }

  function openOnce({ kid, privateKeySealed }: SigningKeyRecord): Signer {
    const known = signers.get(kid)
    if (known !== undefined) return known
    const key = JSON.parse(sealer.open(privateKeySealed, contextOf(kid)))
    const headers = { JWT: header('JWT', kid), 'logout+jwt': header('logout+jwt', kid) }
    const signer = { key: createPrivateKey({ key, format: 'jwk' }), headers }
    signers.set(kid, signer)
    return signer
  }

  async function current(): Promise<Signer> {
    const now = clock()
    const records = await load()
    const active =
      records
        .filter(record => record.activeFrom <= now)
        .sort(byActivity)
        .at(-1) ?? records[0]
    if (active === undefined) throw new Error('there is no signing key')
    return openOnce(active)
  }

  return {
    async sign(type, claims) {
      const { key, headers } = await current()
      const input = `${headers[type]}.${encoded(claims)}`
      const signature = await signOutside('sha256', Buffer.from(input), key)
      return `${input}.${signature.toString('base64url')}`
    },
    async published() {
      const records = await load()
      return stillNeeded(records, clock()).map(record => JSON.parse(record.publicKey))
    },
    async find(kid) {
      const record = stillNeeded(await load(), clock()).find(one => one.kid === kid)
      return record && importOnce(record)
    },
    async prepare() {
      await current()
    },
  }
}

async function importPublic(text: string): Promise<CryptoKey> {
  const key = await importJWK(JSON.parse(text), 'RS256')
  if (key instanceof Uint8Array) throw new TypeError('a signing key is not symmetric')
  return key
}

function header(typ: TokenType, kid: string): string {
  return encoded({ alg: 'RS256', typ, kid })
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/**
 * Makes the next key: it is published from now on and signs from one day on (D22), or at once where `now` is asked for,
 * since the present one is no longer trusted. Answers its kid and when it takes over, in milliseconds.
 */
export async function rotateSigningKeys(
  { db, clock, sealer }: KeyDeps,
  options: { now?: boolean } = {},
): Promise<{ kid: string; activeFrom: number }> {
  for (;;) {
    const records = await listSigningKeys(db)
    const now = clock()
    const first = records.length === 0 || options.now === true
    const next = await makeKey(
      sealer,
      1 + Math.max(0, ...records.map(record => record.number)),
      now,
      first ? now : now + keyLeadSeconds * 1000,
    )
    if (await insertSigningKey(db, next)) return { kid: next.kid, activeFrom: next.activeFrom }
  }
}

/** Deletes the keys whose last id_token has expired. */
export async function sweepSigningKeys(db: Database, now: number): Promise<void> {
  const records = await listSigningKeys(db)
  const needed = stillNeeded(records, now)
  for (const record of records) if (!needed.includes(record)) await deleteSigningKey(db, record.number)
}

/** A key is kept until what was signed with it last has expired, and until caches of its successor's list have too. */
function stillNeeded(records: readonly SigningKeyRecord[], now: number): SigningKeyRecord[] {
  const inTurn = [...records].sort(byActivity)
  const after = (idTokenSeconds + keysMaxAge) * 1000 + RELOAD_MS
  return inTurn.filter((_record, index) => {
    const next = inTurn[index + 1]
    return next === undefined || now < next.activeFrom + after
  })
}

function byActivity(a: SigningKeyRecord, b: SigningKeyRecord): number {
  return a.activeFrom - b.activeFrom || a.number - b.number
}

async function makeKey(
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
    privateKeySealed: sealer.seal(privateKey, contextOf(kid)),
    createdAt: now,
    activeFrom,
  }
}

function contextOf(kid: string): string {
  return `oauth:signing-key:${kid}`
}
