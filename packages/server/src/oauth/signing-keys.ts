import { createPrivateKey, type KeyObject, randomBytes, sign as signBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { idTokenSeconds, keyLeadSeconds, maxSessionSeconds } from '@gatehouse/protocol/limits'
import type { PublicKey } from '@gatehouse/protocol/oauth'
import { exportJWK, generateKeyPair } from 'jose'
import { canOpen, type Sealer } from '../kit/seal.ts'
import type { Database } from '../storage/database.ts'
import type { Deps } from './oauth-deps.ts'
import {
  deletePrivatePart,
  deleteSigningKey,
  insertSigningKey,
  listSigningKeys,
  type SigningKeyRecord,
} from './signing-key-store.ts'

/** The max-age of the JWK Set response, in seconds. For this time, applications accept a withdrawn key. */
export const keysMaxAge = 300

/** The `typ` header prevents that one kind of token is used as another (RFC 8725 §3.11). */
type TokenType = 'JWT' | 'logout+jwt'

/** In a thread of the pool. */
const signInPool = promisify(signBytes)

type KeyDeps = Pick<Deps, 'db' | 'clock' | 'sealer'>

export type SigningKeys = ReturnType<typeof createSigningKeys>

/**
 * The RS256 keys (sign-in/key-rotation). Reads them from the database for each use, so that a key that was withdrawn on
 * another node or on the command line is not used again (sign-in/key-compromise).
 */
export function createSigningKeys({ db, clock, sealer }: KeyDeps) {
  let creating: Promise<unknown> | undefined
  const privateKeys = new Map<string, KeyObject>()

  /** Creates the first key if there is none. */
  async function listKeys(): Promise<readonly SigningKeyRecord[]> {
    const records = await listSigningKeys(db)
    if (records.length > 0) return records
    creating ??= generateKey(sealer, 1, clock(), clock())
      .then(key => insertSigningKey(db, key))
      .finally(() => {
        creating = undefined
      })
    await creating
    return listSigningKeys(db)
  }

  function openPrivateKey({ kid, privateKeySealed }: SigningKeyRecord): KeyObject {
    const opened = privateKeys.get(kid)
    if (opened !== undefined) return opened
    const jwk = JSON.parse(sealer.open(privateKeySealed, sealContextOf(kid)))
    const key = createPrivateKey({ key: jwk, format: 'jwk' })
    privateKeys.set(kid, key)
    return key
  }

  async function currentKey(): Promise<{ kid: string; key: KeyObject }> {
    const current = currentOf(await listKeys(), clock())
    if (current === undefined) throw new Error('There is no signing key.')
    return { kid: current.kid, key: openPrivateKey(current) }
  }

  return {
    /** Returns a compact JWS (RFC 7515 §7.1). Omits claims that are undefined. */
    async sign(type: TokenType, claims: Readonly<Record<string, unknown>>): Promise<string> {
      const { kid, key } = await currentKey()
      const input = `${encode({ alg: 'RS256', typ: type, kid })}.${encode(claims)}`
      const signature = await signInPool('sha256', Buffer.from(input), key)
      return `${input}.${signature.toString('base64url')}`
    },

    /**
     * The public keys of the JWK Set (RFC 7517 §5): the next key, the current key, and keys of tokens that may still be
     * valid.
     */
    async listPublicKeys(): Promise<PublicKey[]> {
      return toPublished(await listKeys(), clock()).map(record => JSON.parse(record.publicKey))
    },

    /**
     * The public keys of all ID tokens that the service accepts as `id_token_hint`, also of keys that are no longer
     * published.
     */
    async listHintKeys(): Promise<PublicKey[]> {
      return (await listKeys()).map(record => JSON.parse(record.publicKey))
    },

    /** Decrypts the current key, and creates it if there is none. Rejects if it was sealed with another SECRET_KEY. */
    async openSigningKey(): Promise<void> {
      await currentKey()
    },
  }
}

/**
 * Creates the next key. It is published immediately and signs one day later (sign-in/key-rotation), or with `now`
 * immediately (sign-in/key-compromise). `activeFrom` is in milliseconds.
 */
export async function rotateSigningKeys(
  { db, clock, sealer }: KeyDeps,
  options: { now?: boolean } = {},
): Promise<{ kid: string; activeFrom: number }> {
  for (;;) {
    const records = await listSigningKeys(db)
    const now = clock()
    const isImmediate = records.length === 0 || options.now === true
    const activeFrom = isImmediate ? now : now + keyLeadSeconds * 1000
    const next = await generateKey(sealer, nextNumber(records), now, activeFrom)
    if (await insertSigningKey(db, next)) return { kid: next.kid, activeFrom: next.activeFrom }
  }
}

/**
 * Deletes a compromised key (sign-in/key-compromise). If it is the key that signs, a new one takes its place and is
 * returned. Throws if there is no such key.
 */
export async function withdrawSigningKey(
  { db, clock, sealer }: KeyDeps,
  kid: string,
): Promise<{ successor: string | undefined }> {
  for (;;) {
    const records = await listSigningKeys(db)
    if (!records.some(record => record.kid === kid)) {
      throw new Error(`There is no signing key "${kid}". The command "keys list" lists the keys.`)
    }
    const now = clock()
    // Also for another key: it may start to sign before the transaction.
    const next = await generateKey(sealer, nextNumber(records), now, now)
    const withdrawn = await db.transaction(async tx => {
      const isCurrent = currentOf(await listSigningKeys(tx), clock())?.kid === kid
      // Another command has changed the keys.
      if (isCurrent && !(await insertSigningKey(tx, next))) return undefined
      if (!(await deleteSigningKey(tx, kid))) return undefined
      return { successor: isCurrent ? next.kid : undefined }
    })
    if (withdrawn) return withdrawn
  }
}

/** False if the newest key was sealed with another SECRET_KEY. */
export async function canOpenSigningKeys({ db, sealer }: Pick<KeyDeps, 'db' | 'sealer'>): Promise<boolean> {
  const newest = (await listSigningKeys(db)).findLast(canSign)
  return newest === undefined || canOpen(sealer, newest.privateKeySealed, sealContextOf(newest.kid))
}

/** Deletes the keys that were sealed with another SECRET_KEY. If none remains, a new one signs at once. */
export async function replaceUnreadableSigningKeys(deps: KeyDeps): Promise<void> {
  const records = await listSigningKeys(deps.db)
  const unreadable = records.filter(
    ({ kid, privateKeySealed }) => !canOpen(deps.sealer, privateKeySealed, sealContextOf(kid)),
  )
  // With the right SECRET_KEY, only keys without a private part are unreadable.
  if (unreadable.some(canSign)) for (const { kid } of unreadable) await withdrawSigningKey(deps, kid)
}

/** What a key is for. Times are in milliseconds. */
export interface SigningKeyState {
  kid: string
  /** `unpublished`: only for `id_token_hint`. */
  state: 'unpublished' | 'previous' | 'current' | 'next'
  activeFrom: number
  /** Infinity until another key is created. */
  publishedUntil: number
  /** When the key is deleted. Infinity until another key is created. */
  storedUntil: number
}

/** In the order in which the keys sign. */
export async function listSigningKeyStates({ db, clock }: KeyDeps): Promise<SigningKeyState[]> {
  const now = clock()
  const records = await listSigningKeys(db)
  const current = currentOf(records, now)
  const published = toPublished(records, now)
  function stateOf(record: SigningKeyRecord): SigningKeyState['state'] {
    if (!published.includes(record)) return 'unpublished'
    if (record === current) return 'current'
    return record.activeFrom > now ? 'next' : 'previous'
  }
  return withEnds(records).map(({ record, ...ends }) => ({
    kid: record.kid,
    state: stateOf(record),
    activeFrom: record.activeFrom,
    ...ends,
  }))
}

/** Deletes the private part of keys that are no longer published, and later the keys. */
export async function sweepSigningKeys(db: Database, now: number): Promise<void> {
  for (const { record, publishedUntil, storedUntil } of withEnds(await listSigningKeys(db))) {
    if (storedUntil <= now) await deleteSigningKey(db, record.kid)
    else if (publishedUntil <= now && canSign(record)) await deletePrivatePart(db, record.kid)
  }
}

/** False for a key whose private part is deleted. */
function canSign({ privateKeySealed }: SigningKeyRecord): boolean {
  return privateKeySealed !== ''
}

/** The key that signs: the last one that has become active. */
function currentOf(records: readonly SigningKeyRecord[], now: number): SigningKeyRecord | undefined {
  const usable = records.filter(canSign)
  const active = usable.filter(record => record.activeFrom <= now).sort(byActivation)
  return active.at(-1) ?? usable[0]
}

/** A key without its private part is not published again if its successor is withdrawn. */
function toPublished(records: readonly SigningKeyRecord[], now: number): SigningKeyRecord[] {
  return withEnds(records).flatMap(({ record, publishedUntil }) =>
    now < publishedUntil && canSign(record) ? [record] : [],
  )
}

/** In the order in which the keys sign. */
function withEnds(records: readonly SigningKeyRecord[]) {
  const sorted = [...records].sort(byActivation)
  return sorted.map((record, index) => {
    const replacedAt = sorted[index + 1]?.activeFrom ?? Number.POSITIVE_INFINITY
    return {
      record,
      // Until then, an application may verify an ID token with a cached JWK Set.
      publishedUntil: replacedAt + (idTokenSeconds + keysMaxAge) * 1000,
      // Until then, a session may exist whose last ID token this key has signed (sign-in/id-token-hint).
      storedUntil: replacedAt + maxSessionSeconds * 1000,
    }
  })
}

function nextNumber(records: readonly SigningKeyRecord[]): number {
  return 1 + Math.max(0, ...records.map(record => record.number))
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

function encode(part: Readonly<Record<string, unknown>>): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

function sealContextOf(kid: string): string {
  return `oauth:signing-key:${kid}`
}
