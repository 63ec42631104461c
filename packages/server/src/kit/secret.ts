import { hash, randomFillSync, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { base62Digits, toBase62 } from './base62.ts'
import { isSnowflake } from './snowflake.ts'

/** What a secret is for stands in its first four characters, so that a scanner knows a leaked one (D6). */
export const secretPrefixes = {
  accessToken: 'gat_',
  refreshToken: 'grt_',
  clientSecret: 'gcs_',
  botToken: 'gbt_',
  interactionToken: 'git_',
  authorizationCode: 'gac_',
  session: 'gst_',
  mailToken: 'gmt_',
  signInTicket: 'gsi_',
} as const

export type SecretPrefix = (typeof secretPrefixes)[keyof typeof secretPrefixes]

declare const brand: unique symbol
/** A text whose prefix, length, characters and check sum are right; that it is known is not said. */
export type Secret<P extends SecretPrefix = SecretPrefix> = `${P}${string}` & { readonly [brand]: 'secret' }
/** A secret that says by itself which row is its own. */
type PlacedPrefix = 'gac_' | 'gat_' | 'grt_'
export type WebhookToken = string & { readonly [brand]: 'webhook token' }

const BODY_LENGTH = 43 // 62^43 is a little over 2^256
const CHECK_LENGTH = 6 // 62^6 is over 2^32
const ID_LENGTH = 11 // 62^11 is over 2^64
const LOW_DIGITS = 6 // the low part of an id, so that both fit into a number
const LOW = 62n ** BigInt(LOW_DIGITS)
const NO_DIGIT = 255
const valueOfCode = new Uint8Array(128).fill(NO_DIGIT)
for (let i = 0; i < base62Digits.length; i++) valueOfCode[base62Digits.charCodeAt(i)] = i

/** Prefix, 43 characters of base62 (256 random bits), 6 of the CRC-32 of all before them (D6). */
export function makeSecret<P extends SecretPrefix>(prefix: P): Secret<P> {
  return checked(prefix, randomBase62(BODY_LENGTH))
}

/**
 * A secret of the row `id`: of the 43 characters the first 11 are the id, the other 32 are random (190 bits), so that it is
 * found by its row's key (docs/decisions/tokens.md).
 */
export function makePlacedSecret<P extends PlacedPrefix>(prefix: P, id: string): Secret<P> {
  const number = BigInt(id)
  const place =
    toBase62(Number(number / LOW), ID_LENGTH - LOW_DIGITS) + toBase62(Number(number % LOW), LOW_DIGITS)
  return checked(prefix, place + randomBase62(BODY_LENGTH - ID_LENGTH))
}

/** The row that a secret says is its own, and `hashSecret` of the whole. Undefined where it is malformed. */
export function readPlacedSecret(
  prefix: PlacedPrefix,
  text: string,
): { id: string; hash: string } | undefined {
  if (!isWellFormedSecret(prefix, text)) return undefined
  const low = prefix.length + ID_LENGTH - LOW_DIGITS
  const number = BigInt(fromBase62(text, prefix.length, low)) * LOW
  const id = String(number + BigInt(fromBase62(text, low, prefix.length + ID_LENGTH)))
  return isSnowflake(id) ? { id, hash: hashSecret(text) } : undefined
}

/** Decided without a look-up: what is malformed never reaches the database. */
export function isWellFormedSecret<P extends SecretPrefix>(prefix: P, text: string): text is Secret<P> {
  const end = prefix.length + BODY_LENGTH
  if (text.length !== end + CHECK_LENGTH || !text.startsWith(prefix)) return false
  for (let i = prefix.length; i < text.length; i++) {
    if ((valueOfCode[text.charCodeAt(i)] ?? NO_DIGIT) === NO_DIGIT) return false
  }
  return fromBase62(text, end, text.length) === crc32(text.slice(0, end))
}

/** 68 characters of `[A-Za-z0-9_-]` (408 random bits) without a prefix, as webhook clients expect (D6). */
export function makeWebhookToken(): WebhookToken {
  const start = take(51)
  const token = pool.toString('base64url', start, start + 51)
  pool.fill(0, start, start + 51)
  return token as WebhookToken
}

export function isWellFormedWebhookToken(text: string): text is WebhookToken {
  return /^[A-Za-z0-9_-]{68}$/.test(text)
}

/** SHA-256 as base64url, 43 characters: the only form in which a secret is stored (D6). */
export function hashSecret(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** Compares two results of `hashSecret` in constant time. */
export function sameSecret(a: string, b: string): boolean {
  const left = Buffer.from(a, 'utf8')
  const right = Buffer.from(b, 'utf8')
  return left.length === right.length && timingSafeEqual(left, right)
}

function checked<P extends SecretPrefix>(prefix: P, text: string): Secret<P> {
  const body = prefix + text
  return (body + toBase62(crc32(body), CHECK_LENGTH)) as Secret<P>
}

/** Of text that was found well-formed. */
function fromBase62(text: string, from: number, to: number): number {
  let value = 0
  for (let i = from; i < to; i++) value = value * 62 + (valueOfCode[text.charCodeAt(i)] ?? NO_DIGIT)
  return value
}

// The one buffer of this module: a call of the generator costs as much for 4 KiB as for 40 bytes. What was handed out is
// overwritten, so that no secret stays behind in it.
const pool = Buffer.alloc(4096)
let used = pool.length

function take(bytes: number): number {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const start = used
  used += bytes
  return start
}

/** Evenly spread over the 62 digits: the bytes from 248 on, which would favour the first eight, are passed over. */
function randomBase62(length: number): string {
  let text = ''
  const bytes = length + 8 // one in 32 is passed over
  while (text.length < length) {
    const start = take(bytes)
    for (let i = start; i < start + bytes; i++) {
      const byte = pool[i] ?? 255
      pool[i] = 0
      if (byte < 248 && text.length < length) text += base62Digits.charAt(byte % 62)
    }
  }
  return text
}
