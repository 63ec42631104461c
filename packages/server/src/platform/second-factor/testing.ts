import assert from 'node:assert/strict'
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import type {
  PasskeyAssertion,
  PasskeyCreationOptions,
  PasskeyRegistration,
  PasskeyRequestOptions,
} from '@gatehouse/protocol/second-factor'
import { generate } from 'otplib'
import type { Clock } from '../../kit/clock.ts'
import { createSealer } from '../../kit/seal.ts'
import type { Database } from '../../storage/database.ts'
import type { Client, Reply, TestService } from '../../testing.ts'
import { findUser } from '../users/index.ts'
import { password } from '../users/testing.ts'
import { createSecondFactor, type SecondFactor } from './second-factor.ts'

/** The real thing on a database of a test, for the tests of its neighbours. */
export function buildSecondFactor(db: Database, clock: Clock): SecondFactor {
  const secretKey = randomBytes(32)
  return createSecondFactor({
    db,
    clock,
    sealer: createSealer(secretKey),
    secretKey,
    baseUrl: 'https://chat.example.org',
    rateLimits: true,
    mailer: { async send() {} },
    findPerson: findUser,
  })
}

export const factorsPath = '/api/users/@me/second-factors'

/** What stands there for a person who has the password alone. */
export const noFactors = { passkeys: [], totp: false, recoveryCodesLeft: 0 }

/** What an app with this secret shows at the moment of the service, `steps` later. */
export function codeOf(service: TestService, secret: string, steps = 0): Promise<string> {
  return generate({ secret, epoch: Math.floor(service.clock.now() / 1000) + steps * 30 })
}

/** Sets an authenticator app up; the code used is that of this moment. */
export async function addApp(
  service: TestService,
  client: Client,
): Promise<{ secret: string; recoveryCodes: string[] }> {
  const begun = await client.json('POST', `${factorsPath}/totp`, { currentPassword: password })
  assert.equal(begun.status, 200, begun.text)
  const { secret } = begun.body
  const code = await codeOf(service, secret)
  const confirmed = await client.json('POST', `${factorsPath}/totp/confirm`, { code })
  assert.equal(confirmed.status, 200, confirmed.text)
  return { secret, recoveryCodes: confirmed.body.recoveryCodes }
}

/** The first half of a sign-in of a person with a second factor. */
export async function ticketFor(client: Client, login: string): Promise<string> {
  const reply = await client.json('POST', '/api/auth/login', { login, password })
  assert.equal(reply.status, 401, reply.text)
  assert.equal(reply.body.code, 'second_factor_required')
  return reply.body.ticket
}

/** An authenticator in software: one key pair of ES256, as WebAuthn §6 has it. */
export interface Authenticator {
  create(options: PasskeyCreationOptions): PasskeyRegistration
  /** `more` is what a faulty or false one does otherwise. */
  get(options: PasskeyRequestOptions, more?: Partial<Flags>): PasskeyAssertion
  readonly credentialId: string
}

interface Flags {
  verified: boolean
  counter: number
  origin: string
  rpId: string
  key: KeyObject
  userHandle: string | undefined
}

const present = 0x01
const verifiedFlag = 0x04
const backupEligible = 0x08
const attested = 0x40

/** `synced`: a key that is copied between devices. `counts`: whether it counts how often it was used. */
export function createAuthenticator(
  origin: string,
  { synced = false, counts = true }: { synced?: boolean; counts?: boolean } = {},
): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  const credentialId = id.toString('base64url')
  let handle: string | undefined
  let counter = 0

  function authenticatorData(rpId: string, flags: number, count: number, rest = Buffer.alloc(0)): Buffer {
    const head = Buffer.alloc(5)
    head.writeUInt8(flags | present | (synced ? backupEligible : 0))
    head.writeUInt32BE(counts ? count : 0, 1)
    return Buffer.concat([createHash('sha256').update(rpId).digest(), head, rest])
  }

  function clientData(type: string, challenge: string, from: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }))
  }

  const credential = {
    id: credentialId,
    rawId: credentialId,
    type: 'public-key' as const,
    clientExtensionResults: {},
  }

  return {
    credentialId,
    create({ rp, user, challenge }) {
      handle = user.id
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const attestedData = Buffer.concat([Buffer.alloc(16), length, id, coseOf(publicKey)])
      const data = authenticatorData(rp.id ?? '', attested | verifiedFlag, counter, attestedData)
      return {
        ...credential,
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, origin).toString('base64url'),
          attestationObject: attestationOf(data).toString('base64url'),
          transports: ['internal'],
        },
      }
    },
    get({ challenge, rpId }, more = {}) {
      counter = more.counter ?? counter + 1
      const { verified = true, key = privateKey } = more
      const data = authenticatorData(more.rpId ?? rpId, verified ? verifiedFlag : 0, counter)
      const client = clientData('webauthn.get', challenge, more.origin ?? origin)
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
      const userHandle = 'userHandle' in more ? more.userHandle : handle
      return {
        ...credential,
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: createSign('sha256').update(signed).sign(key).toString('base64url'),
          ...(userHandle === undefined ? {} : { userHandle }),
        },
      }
    },
  }
}

/** `{"fmt": "none", "attStmt": {}, "authData": …}` in CBOR (RFC 8949). */
function attestationOf(data: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(data.length)
  const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
  const parts = [text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0]), text('authData')]
  return Buffer.concat([Buffer.from([0xa3]), ...parts, Buffer.from([0x59]), length, data])
}

/** `{1: 2, 3: -7, -1: 1, -2: x, -3: y}` in CBOR: a key of ES256 (RFC 9053 §7.1.1). */
function coseOf(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const coordinate = (name: number, value: string) => [
    Buffer.from([name, 0x58, 32]),
    Buffer.from(value, 'base64url'),
  ]
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01])
  return Buffer.concat([head, ...coordinate(0x21, x), ...coordinate(0x22, y)])
}

/** Adds the passkey of an authenticator to the person who is signed in. */
export async function addPasskey(
  client: Client,
  authenticator: Authenticator,
  name = 'Key ring',
): Promise<Reply> {
  const options = await client.json('POST', `${factorsPath}/passkeys/options`, { currentPassword: password })
  assert.equal(options.status, 200, options.text)
  const response = authenticator.create(options.body)
  return client.json('POST', `${factorsPath}/passkeys`, { response, name })
}

/** The options in a page's form that its script would hand to the browser. */
export function passkeyOptionsIn(page: Reply): PasskeyRequestOptions {
  const attribute = /data-passkey="([^"]*)"/.exec(page.text)?.[1]
  assert.ok(attribute, 'no form for a passkey')
  return JSON.parse(attribute.replaceAll('&quot;', '"').replaceAll('&#34;', '"').replaceAll('&amp;', '&'))
}
