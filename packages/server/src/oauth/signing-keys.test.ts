import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { createSealer } from '../kit/seal.ts'
import { eachService, type TestService } from '../testing.ts'
import { listSigningKeys } from './signing-keys/store.ts'
import { rotateSigningKeys, sweepSigningKeys } from './signing-keys.ts'
import { makeApplication, signUp, type TestApplication, type TestPerson, tokensFor } from './testing.ts'

const secretKey = randomBytes(32)
const env = { SECRET_KEY: secretKey.toString('base64') }
const hour = 60 * 60_000
const day = 24 * hour

interface Start {
  signed: () => Promise<{ token: string; kid: string | undefined }>
  kids: () => Promise<string[]>
  rotate: (options?: { now?: boolean }) => ReturnType<typeof rotateSigningKeys>
}

async function start(service: TestService): Promise<Start> {
  const ada: TestPerson = await signUp(service, 'ada')
  const app: TestApplication = await makeApplication(ada)
  const deps = { db: service.db, clock: service.clock.now, sealer: createSealer(secretKey) }
  return {
    async signed() {
      const token = (await tokensFor(service, ada, app, { scope: 'openid' })).id_token ?? ''
      return { token, kid: decodeProtectedHeader(token).kid }
    },
    kids: async () => (await keysOf(service)).keys.map(key => key.kid),
    rotate: options => rotateSigningKeys(deps, options),
  }
}

async function keysOf(service: TestService): Promise<{ keys: { kid: string; kty: string }[] }> {
  return (await service.client().get('/api/oauth2/keys')).body
}

eachService(
  'checks 113 and 114: the keys are public halves of RSA-2048 with kid, use and alg',
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
  'check 115: the private half is kept sealed, and lasts over a restart',
  async (_t, service) => {
    const { signed } = await start(service)
    const before = await signed()
    const [record] = await listSigningKeys(service.db)
    assert.ok(record)
    assert.match(record.privateKeySealed, /^v1\.[A-Za-z0-9_-]+$/)
    assert.doesNotMatch(record.publicKey, /"d"|"p"|"q"/)
    await service.restart()
    assert.equal((await signed()).kid, before.kid)
    assert.equal((await keysOf(service)).keys.length, 1)
  },
  { env },
)

eachService(
  'checks 114 and D77: a rotated key is known within 20 s, signs after a day; the old one goes when nothing of it holds',
  async (_t, service) => {
    const { signed, kids, rotate } = await start(service)
    const old = await signed()
    const { kid } = await rotate()
    service.clock.advance(20_000)
    assert.deepEqual(await kids(), [old.kid, kid])
    assert.equal((await signed()).kid, old.kid)
    service.clock.advance(day - 20_000 - 1000)
    const last = await signed()
    assert.equal(last.kid, old.kid)
    service.clock.advance(1000)
    assert.equal((await signed()).kid, kid)
    // The last one of the old key still verifies until it has expired.
    service.clock.advance(hour - 2000)
    const keys = createLocalJWKSet((await service.client().get('/api/oauth2/keys')).body)
    await jwtVerify(last.token, keys, { currentDate: new Date(service.clock.now()) })
    service.clock.advance(2 * hour)
    assert.deepEqual(await kids(), [kid])
    await sweepSigningKeys(service.db, service.clock.now())
    assert.equal((await listSigningKeys(service.db)).length, 1)
  },
  { env },
)

eachService(
  'a key that is no longer trusted is replaced at once',
  async (_t, service) => {
    const { signed, kids, rotate } = await start(service)
    const old = await signed()
    await rotate()
    const { kid } = await rotate({ now: true })
    service.clock.advance(20_000)
    assert.equal((await signed()).kid, kid)
    const published = await kids()
    assert.equal(published.length, 3)
    assert.ok(published.includes(old.kid ?? ''))
  },
  { env },
)

eachService(
  'two rotations at the same moment make two keys',
  async (_t, service) => {
    const { kids, rotate } = await start(service)
    assert.equal((await kids()).length, 1)
    await Promise.all([rotate(), rotate()])
    service.clock.advance(20_000)
    assert.equal(new Set(await kids()).size, 3)
  },
  { env },
)
