import { createHmac, hash, randomFillSync, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { isId } from '@gatehouse/protocol/ids'
import { base62Digits, toBase62 } from './base62.ts'

/** The prefix says what a secret is for, so that secret scanners recognize a leaked one (community/secrets). */
export const secretPrefixes = {
  accessToken: 'gat_',
  refreshToken: 'grt_',
  clientSecret: 'gcs_',
  botToken: 'gbt_',
  interactionToken: 'git_',
  discordInteractionToken: 'gdi_',
  authorizationCode: 'gac_',
  session: 'gst_',
  mailToken: 'gmt_',
  signInTicket: 'gsi_',
  administratorCode: 'gad_',
} as const

/** What each secret is, and where it belongs. */
const secretUses: Readonly<Record<keyof typeof secretPrefixes | 'webhookToken', string>> = {
  accessToken: 'an access token, which belongs after "Bearer"',
  refreshToken: 'a refresh token, which belongs in refresh_token of a request to the token endpoint',
  clientSecret: 'a client secret, which belongs in client_secret of a request to the token endpoint',
  botToken: 'a bot token, which belongs after "Bot"',
  interactionToken: 'the token of an interaction, which belongs in the path',
  discordInteractionToken: 'the token of an interaction, which belongs in the path',
  authorizationCode: 'an authorization code, which belongs in code of a request to the token endpoint',
  session: 'a session, which belongs in its cookie',
  mailToken: 'a token of a mail, which belongs in the page of its link',
  signInTicket: 'a ticket of a sign-in, which belongs in the next step of the sign-in',
  administratorCode: 'the code for the first administrator, which belongs in the page for registration',
  webhookToken: 'a webhook token, which belongs in the URL of its webhook',
}

const secretKinds = Object.keys(secretPrefixes) as (keyof typeof secretPrefixes)[]

export type SecretPrefix = (typeof secretPrefixes)[keyof typeof secretPrefixes]

declare const brand: unique symbol
/** A well-formed secret: prefix, length, characters and checksum are valid. It need not exist. */
export type Secret<P extends SecretPrefix = SecretPrefix> = `${P}${string}` & { readonly [brand]: 'secret' }
/** Codes and tokens of OAuth, and those of interactions in Discord's format, which contain the id of their row. */
type TokenPrefix = 'gac_' | 'gat_' | 'grt_' | 'gdi_'
/** The id of the row that a token belongs to, and the hash of the whole token. */
export interface ParsedToken {
  id: string
  hash: string
}
export type WebhookToken = string & { readonly [brand]: 'webhook token' }

const BODY_LENGTH = 43 // 62^43 > 2^256
const CHECKSUM_LENGTH = 6 // 62^6 > 2^32
const ID_LENGTH = 11 // 62^11 > 2^64
const LOW_DIGITS = 6 // An id is encoded in two parts, each of which is a safe integer.
const LOW = 62n ** BigInt(LOW_DIGITS)
const NOT_A_DIGIT = 255
/** Digit values by character code. */
const digitValues = new Uint8Array(128).fill(NOT_A_DIGIT)
for (let i = 0; i < base62Digits.length; i++) digitValues[base62Digits.charCodeAt(i)] = i

/**
 * Prefix, 43 random base62 characters (256 bits), and the CRC-32 of both in 6 base62 characters (community/secrets).
 */
export function createSecret<P extends SecretPrefix>(prefix: P): Secret<P> {
  return appendChecksum(prefix, randomBase62(BODY_LENGTH))
}

/**
 * A token whose row is found by its primary key: of the 43 characters, the first 11 are the row's id in base62 and the
 * other 32 are random (190 bits). See docs/decisions/tokens.md.
 */
export function createToken<P extends TokenPrefix>(prefix: P, id: string): Secret<P> {
  return appendChecksum(prefix, encodeId(id) + randomBase62(BODY_LENGTH - ID_LENGTH))
}

/** Like `createToken`, with 32 characters that are derived from a MAC: the same one gives the same token. */
export function createDerivedToken<P extends TokenPrefix>(prefix: P, id: string, mac: Buffer): Secret<P> {
  let rest = BigInt(`0x${mac.toString('hex')}`)
  let text = ''
  while (text.length < BODY_LENGTH - ID_LENGTH) {
    text += base62Digits.charAt(Number(rest % 62n))
    rest /= 62n
  }
  return appendChecksum(prefix, encodeId(id) + text)
}

/** Returns undefined if the token is malformed. Does not check that the token exists. */
export function parseToken(prefix: TokenPrefix, text: string): ParsedToken | undefined {
  if (!isWellFormedSecret(prefix, text)) return undefined
  const low = prefix.length + ID_LENGTH - LOW_DIGITS
  const number = BigInt(fromBase62(text, prefix.length, low)) * LOW
  const id = String(number + BigInt(fromBase62(text, low, prefix.length + ID_LENGTH)))
  return isId(id) ? { id, hash: hashSecret(text) } : undefined
}

/** Needs no database, so that malformed secrets are rejected without a query. */
export function isWellFormedSecret<P extends SecretPrefix>(prefix: P, text: string): text is Secret<P> {
  const end = prefix.length + BODY_LENGTH
  if (text.length !== end + CHECKSUM_LENGTH || !text.startsWith(prefix)) return false
  for (let i = prefix.length; i < text.length; i++) {
    if ((digitValues[text.charCodeAt(i)] ?? NOT_A_DIGIT) === NOT_A_DIGIT) return false
  }
  return fromBase62(text, end, text.length) === crc32(text.slice(0, end))
}

/**
 * 68 characters of `[A-Za-z0-9_-]` (408 random bits) without a prefix, as webhook clients expect (community/secrets).
 */
export function createWebhookToken(): WebhookToken {
  const start = takeRandomBytes(51)
  const token = pool.toString('base64url', start, start + 51)
  pool.fill(0, start, start + 51)
  return token as WebhookToken
}

export function isWellFormedWebhookToken(text: string): text is WebhookToken {
  return /^[A-Za-z0-9_-]{68}$/.test(text)
}

/**
 * What a text is by its prefix or its shape, and where that belongs, for errors about a secret in the wrong place:
 * `a bot token, which belongs after "Bot"`. Undefined for other text, and for a secret of the kind `expected`. The
 * secret need not exist, and is no part of the result.
 */
export function describeSecret(text: string, expected?: keyof typeof secretPrefixes): string | undefined {
  const prefix = /(?<![0-9A-Za-z_])(g[a-z]{2}_)[0-9A-Za-z]{20,}/.exec(text)?.[1]
  const kind = secretKinds.find(name => secretPrefixes[name] === prefix)
  if (kind !== undefined) return kind === expected ? undefined : secretUses[kind]
  return /(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{68}(?![A-Za-z0-9_-])/.test(text)
    ? secretUses.webhookToken
    : undefined
}

/** SHA-256 in base64url, 43 characters. Secrets are stored only in this form (community/secrets). */
export function hashSecret(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** HMAC-SHA-256 with the secret key of the service. `purpose` separates the uses of the key. */
export function createMac(secretKey: Uint8Array, purpose: string, data: string | Uint8Array): Buffer {
  return createHmac('sha256', secretKey).update(`${purpose}\0`).update(data).digest()
}

/** Compares two texts in constant time. */
export function constantTimeEqual(a: string, b: string): boolean {
  const left = Buffer.from(a, 'utf8')
  const right = Buffer.from(b, 'utf8')
  return left.length === right.length && timingSafeEqual(left, right)
}

function encodeId(id: string): string {
  const number = BigInt(id)
  return toBase62(Number(number / LOW), ID_LENGTH - LOW_DIGITS) + toBase62(Number(number % LOW), LOW_DIGITS)
}

function appendChecksum<P extends SecretPrefix>(prefix: P, text: string): Secret<P> {
  const body = prefix + text
  return (body + toBase62(crc32(body), CHECKSUM_LENGTH)) as Secret<P>
}

/** Requires that all characters are base62 digits. */
function fromBase62(text: string, from: number, to: number): number {
  let value = 0
  for (let i = from; i < to; i++) value = value * 62 + (digitValues[text.charCodeAt(i)] ?? NOT_A_DIGIT)
  return value
}

// A call of `randomFillSync` costs as much for 4 KiB as for 40 bytes. Used bytes are overwritten, so that no secret
// stays in memory.
const pool = Buffer.alloc(4096)
let usedBytes = pool.length

/** Returns the offset in `pool`. The caller must overwrite the bytes. */
function takeRandomBytes(bytes: number): number {
  if (usedBytes + bytes > pool.length) {
    randomFillSync(pool)
    usedBytes = 0
  }
  const start = usedBytes
  usedBytes += bytes
  return start
}

/** Rejection sampling: bytes from 248 on are skipped, because they would make the first eight digits more likely. */
function randomBase62(length: number): string {
  let text = ''
  const bytes = length + 8 // One byte in 32 is skipped.
  while (text.length < length) {
    const start = takeRandomBytes(bytes)
    for (let i = start; i < start + bytes; i++) {
      const byte = pool[i] ?? 255
      pool[i] = 0
      if (byte < 248 && text.length < length) text += base62Digits.charAt(byte % 62)
    }
  }
  return text
}
