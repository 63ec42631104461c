import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { createSealer } from '../kit/seal.ts'
import { rotateSigningKeys, sweepSigningKeys } from './keys.ts'
import { listSigningKeys } from './keys-store.ts'
import { makeApplication, signUp, type TestApplication, tokensFor } from './testing.ts'

const secretKey = randomBytes(32)
const env = { SECRET_KEY: secretKey.toString('base64') }
const hour = 60 * 60_000
const day = 24 * hour

interface Start {
  sign: () => Promise<{ token: string; kid: string | undefined }>
  listKeyIds: () => Promise<string[]>
  rotate: (options?: { now?: boolean }) => ReturnType<typeof rotateSigningKeys>
}

async function start(service: TestService): Promise<Start> {
  const ada: TestUser = await signUp(service, 'ada')
  const app: TestApplication = await makeApplication(ada)
  const deps = { db: service.db, clock: service.clock.now, sealer: createSealer(secretKey) }
  return {
    async sign() {
      const token = (await tokensFor(service, ada, app, { scope: 'openid' })).id_token ?? ''
      return { token, kid: decodeProtectedHeader(token).kid }
    },
    listKeyIds: async () => (await keysOf(service)).keys.map(key => key.kid),
    rotate: options => rotateSigningKeys(deps, options),
  }
}

async function keysOf(service: TestService): Promise<{ keys: { kid: string; kty: string }[] }> {
  return (await service.client().get('/api/oauth2/keys')).body
}

eachService(
  'sign-in/jwks, sign-in/key-rotation: the JWK Set has the RSA-2048 public key with kid, use and alg',
  async (_t, service) => {
    const reply = await service.client().get('/api/oauth2/keys')
    assert.equal(reply.status, 200)
    assert.match(reply.headers.get('cache-control') ?? '', /max-age=[1-9]/)
    const [key, ...others] = reply.body.keys
    assert.equal(others.length, 0)
    assert.deepEqual(Object.keys(key).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
    assert.equal(key.use, 'sig')
    assert.equal(key.alg, 'RS256')
    assert.equal(Buffer.from(key.n, 'base64url').length, 256)
  },
  { env },
)

eachService(
  'sign-in/keys-encrypted: the private key is stored encrypted and used after a restart',
  async (_t, service) => {
    const { sign } = await start(service)
    const before = await sign()
    const [record] = await listSigningKeys(service.db)
    assert.ok(record)
    assert.match(record.privateKeySealed, /^v1\.[A-Za-z0-9_-]+$/)
    assert.doesNotMatch(record.publicKey, /"d"|"p"|"q"/)
    await service.restart()
    assert.equal((await sign()).kid, before.kid)
    assert.equal((await keysOf(service)).keys.length, 1)
  },
  { env },
)

eachService(
  'sign-in/key-rotation: a rotated key is published within 20 s and signs after a day; the old key is removed after its tokens expire',
  async (_t, service) => {
    const { sign, listKeyIds, rotate } = await start(service)
    const old = await sign()
    const { kid } = await rotate()
    service.clock.advance(20_000)
    assert.deepEqual(await listKeyIds(), [old.kid, kid])
    assert.equal((await sign()).kid, old.kid)
    service.clock.advance(day - 20_000 - 1000)
    const last = await sign()
    assert.equal(last.kid, old.kid)
    service.clock.advance(1000)
    assert.equal((await sign()).kid, kid)
    // The last token of the old key verifies until it expires.
    service.clock.advance(hour - 2000)
    const keys = createLocalJWKSet((await service.client().get('/api/oauth2/keys')).body)
    await jwtVerify(last.token, keys, { currentDate: new Date(service.clock.now()) })
    service.clock.advance(2 * hour)
    assert.deepEqual(await listKeyIds(), [kid])
    await sweepSigningKeys(service.db, service.clock.now())
    assert.equal((await listSigningKeys(service.db)).length, 1)
  },
  { env },
)

eachService(
  'a key can be replaced immediately',
  async (_t, service) => {
    const { sign, listKeyIds, rotate } = await start(service)
    const old = await sign()
    await rotate()
    const { kid } = await rotate({ now: true })
    service.clock.advance(20_000)
    assert.equal((await sign()).kid, kid)
    const published = await listKeyIds()
    assert.equal(published.length, 3)
    assert.ok(published.includes(old.kid ?? ''))
  },
  { env },
)

eachService(
  'two parallel rotations create two keys',
  async (_t, service) => {
    const { listKeyIds, rotate } = await start(service)
    assert.equal((await listKeyIds()).length, 1)
    await Promise.all([rotate(), rotate()])
    service.clock.advance(20_000)
    assert.equal(new Set(await listKeyIds()).size, 3)
  },
  { env },
)
