import assert from 'node:assert/strict'
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import type {
  PasskeyAssertion,
  PasskeyCreationOptions,
  PasskeyRegistration,
  PasskeyRequestOptions,
} from '@gatehouse/protocol/second-factor'
import type { TestClient, TestResponse, TestService } from '@gatehouse/testkit/service'
import { generate } from 'otplib'
import { createDomainEventBus } from '../../events/domain-events.ts'
import { createEvents } from '../../events/gateway-events.ts'
import type { Clock } from '../../kit/clock.ts'
import { createSealer } from '../../kit/seal.ts'
import { createSnowflakes } from '../../kit/snowflake.ts'
import { createRateLimiter } from '../../rate-limits/rate-limiter.ts'
import type { Database } from '../../storage/database.ts'
import { createSecurityLog } from '../security-log/index.ts'
import { findUser } from '../users/index.ts'
import { password, verifyEmail } from '../users/users-testing.ts'
import { createMfaLogin, type MfaLogin } from './mfa-login.ts'

/** An `MfaLogin` on a test database, for the tests of other folders. */
export function createTestMfaLogin(db: Database, clock: Clock): MfaLogin {
  const secretKey = randomBytes(32)
  const ids = createSnowflakes({ clock, node: 1 })
  return createMfaLogin({
    db,
    clock,
    ids,
    securityLog: createSecurityLog({ db, clock, ids, logger: { info: () => undefined } }),
    events: createEvents({ publish() {} }),
    domainEvents: createDomainEventBus(),
    sealer: createSealer(secretKey),
    secretKey,
    baseUrl: 'https://chat.example.org',
    rateLimiter: createRateLimiter({ clock, limits: {} }),
    mailer: { async send() {} },
    findUser,
  })
}

export const factorsPath = '/api/users/@me/second-factors'

/** The response for a user without a second factor. */
export const noFactors = { passkeys: [], totp: false, recoveryCodesLeft: 0 }

/** The TOTP code for `secret`, `steps` time steps after the current time of the service. */
export function totpCode(service: TestService, secret: string, steps = 0): Promise<string> {
  return generate({ secret, epoch: Math.floor(service.clock.now() / 1000) + steps * 30 })
}

/** A second factor requires a verified email address. */
async function ensureVerified(service: TestService, client: TestClient): Promise<void> {
  const { body } = await client.get('/api/users/@me')
  if (!body.emailVerified) await verifyEmail(service, client)
}

/** Sets up TOTP, and verifies the email address first if it is not. Consumes the code of the current time step. */
export async function addTotp(
  service: TestService,
  client: TestClient,
): Promise<{ secret: string; recoveryCodes: string[] }> {
  await ensureVerified(service, client)
  const setup = await client.json('POST', `${factorsPath}/totp`, { currentPassword: password })
  assert.equal(setup.status, 200, setup.text)
  const { secret } = setup.body
  const code = await totpCode(service, secret)
  const confirmed = await client.json('POST', `${factorsPath}/totp/confirm`, { code })
  assert.equal(confirmed.status, 200, confirmed.text)
  return { secret, recoveryCodes: confirmed.body.recoveryCodes }
}

/** Sends the password of a user with a second factor and returns the ticket. */
export async function createTicket(client: TestClient, login: string): Promise<string> {
  const reply = await client.json('POST', '/api/auth/login', { login, password })
  assert.equal(reply.status, 401, reply.text)
  assert.equal(reply.body.code, 'second_factor_required')
  return reply.body.ticket
}

/** A software authenticator with one ES256 key pair (WebAuthn §6). */
export interface Authenticator {
  create(options: PasskeyCreationOptions): PasskeyRegistration
  /** `overrides` simulate a faulty or malicious authenticator. */
  get(options: PasskeyRequestOptions, overrides?: Partial<AssertionOverrides>): PasskeyAssertion
  readonly credentialId: string
}

interface AssertionOverrides {
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

/** `synced`: the key is synchronized between devices. `counts`: the authenticator has a signature counter. */
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
      const attestedData = Buffer.concat([Buffer.alloc(16), length, id, encodeCoseKey(publicKey)])
      const data = authenticatorData(rp.id ?? '', attested | verifiedFlag, counter, attestedData)
      return {
        ...credential,
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, origin).toString('base64url'),
          attestationObject: encodeAttestation(data).toString('base64url'),
          transports: ['internal'],
        },
      }
    },
    get({ challenge, rpId }, overrides = {}) {
      counter = overrides.counter ?? counter + 1
      const { verified = true, key = privateKey } = overrides
      const data = authenticatorData(overrides.rpId ?? rpId, verified ? verifiedFlag : 0, counter)
      const client = clientData('webauthn.get', challenge, overrides.origin ?? origin)
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
      const userHandle = 'userHandle' in overrides ? overrides.userHandle : handle
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

/** The attestation object `{"fmt": "none", "attStmt": {}, "authData": …}` in CBOR (RFC 8949). */
function encodeAttestation(data: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(data.length)
  const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
  const parts = [text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0]), text('authData')]
  return Buffer.concat([Buffer.from([0xa3]), ...parts, Buffer.from([0x59]), length, data])
}

/** The ES256 COSE key `{1: 2, 3: -7, -1: 1, -2: x, -3: y}` in CBOR (RFC 9053 §7.1.1). */
function encodeCoseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const coordinate = (name: number, value: string) => [
    Buffer.from([name, 0x58, 32]),
    Buffer.from(value, 'base64url'),
  ]
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01])
  return Buffer.concat([head, ...coordinate(0x21, x), ...coordinate(0x22, y)])
}

/** Registers a passkey for the signed-in user, and verifies the email address first if it is not. */
export async function addPasskey(
  service: TestService,
  client: TestClient,
  authenticator: Authenticator,
  name = 'Key ring',
): Promise<TestResponse> {
  await ensureVerified(service, client)
  const options = await client.json('POST', `${factorsPath}/passkeys/options`, { currentPassword: password })
  assert.equal(options.status, 200, options.text)
  const response = authenticator.create(options.body)
  return client.json('POST', `${factorsPath}/passkeys`, { response, name })
}

/** Reads the request options from the passkey form of a page. */
export function readPasskeyOptions(page: TestResponse): PasskeyRequestOptions {
  const attribute = /data-passkey="([^"]*)"/.exec(page.text)?.[1]
  assert.ok(attribute, 'The page has no passkey form.')
  return JSON.parse(attribute.replaceAll('&quot;', '"').replaceAll('&#34;', '"').replaceAll('&amp;', '&'))
}
