import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  importJWK,
  jwtVerify,
  SignJWT,
} from 'jose'
import { createSealer } from '../kit/seal.ts'
import {
  authorizePath,
  credentialsOf,
  makeApplication,
  parametersOf,
  post,
  refresh,
  signUp,
  type TestApplication,
  tokensFor,
  userinfo,
} from './oauth-testing.ts'
import { listSigningKeys } from './signing-key-store.ts'
import {
  canOpenSigningKeys,
  keysMaxAge,
  listSigningKeyStates,
  replaceUnreadableSigningKeys,
  rotateSigningKeys,
  sweepSigningKeys,
  withdrawSigningKey,
} from './signing-keys.ts'

const secretKey = randomBytes(32)
const env = { SECRET_KEY: secretKey.toString('base64') }
const hour = 60 * 60_000
const day = 24 * hour

interface Start {
  sign: () => Promise<{ token: string; kid: string | undefined }>
  listKeyIds: () => Promise<string[]>
  listStates: () => ReturnType<typeof listSigningKeyStates>
  rotate: (options?: { now?: boolean }) => ReturnType<typeof rotateSigningKeys>
  withdraw: (kid: string) => ReturnType<typeof withdrawSigningKey>
  ada: TestUser
  app: TestApplication
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
    listStates: () => listSigningKeyStates(deps),
    rotate: options => rotateSigningKeys(deps, options),
    withdraw: kid => withdrawSigningKey(deps, kid),
    ada,
    app,
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
  'sign-in/key-rotation: a rotated key is published at once and signs after a day; the old ' +
    'key is not published after its tokens expire',
  async (_t, service) => {
    const { sign, listKeyIds, rotate } = await start(service)
    const old = await sign()
    const { kid } = await rotate()
    assert.deepEqual(await listKeyIds(), [old.kid, kid])
    assert.equal((await sign()).kid, old.kid)
    service.clock.advance(day - 1000)
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
    // The public part of the old key remains for the longest session.
    service.clock.advance(90 * day - 3 * hour)
    await sweepSigningKeys(service.db, service.clock.now())
    assert.equal((await listSigningKeys(service.db)).length, 2)
    service.clock.advance(2 * hour)
    await sweepSigningKeys(service.db, service.clock.now())
    assert.equal((await listSigningKeys(service.db)).length, 1)
  },
  { env },
)

eachService(
  'sign-in/id-token-hint: an ID token is accepted after its key was replaced, until the key is withdrawn',
  async (_t, service) => {
    const { ada, app, sign, listKeyIds, rotate, withdraw } = await start(service)
    const { token, kid: old = '' } = await sign()
    const { kid } = await rotate()
    service.clock.advance(27 * hour)
    await sweepSigningKeys(service.db, service.clock.now())
    assert.deepEqual(await listKeyIds(), [kid])
    const request = { scope: 'openid', prompt: 'none', id_token_hint: token }
    const silent = async () => parametersOf(await ada.client.get(authorizePath(app, request)))
    assert.ok((await silent()).code)
    const logout = `/oauth2/logout?id_token_hint=${token}`
    assert.equal((await service.client().get(logout)).status, 200)
    await withdraw(old)
    assert.equal((await silent()).error, 'invalid_request')
    assert.equal((await service.client().get(logout)).status, 400)
  },
  { env },
)

eachService(
  'sign-in/key-rotation: the private part of a key is deleted when it is no longer ' +
    'published, and the key is not published again',
  async (_t, service) => {
    const { sign, listKeyIds, listStates, rotate, withdraw } = await start(service)
    const { kid: first } = await sign()
    const { kid: third } = await rotate()
    // The newest key does not sign last.
    const { kid: second } = await rotate({ now: true })
    service.clock.advance(27 * hour)
    await sweepSigningKeys(service.db, service.clock.now())
    const withPrivatePart = (await listSigningKeys(service.db)).filter(key => key.privateKeySealed !== '')
    assert.deepEqual(
      withPrivatePart.map(key => key.kid),
      [third],
    )
    const states = await listStates()
    assert.deepEqual(
      states.map(({ kid, state }) => [kid, state]),
      [
        [first, 'unpublished'],
        [second, 'unpublished'],
        [third, 'current'],
      ],
    )
    assert.equal(await canOpenSigningKeys({ db: service.db, sealer: createSealer(secretKey) }), true)
    assert.equal((await sign()).kid, third)
    const { successor } = await withdraw(third)
    assert.equal((await sign()).kid, successor)
    assert.deepEqual(await listKeyIds(), [successor])
  },
  { env },
)

eachService(
  'a SECRET_KEY that is replaced deletes all keys, and none if it is the right one',
  async (_t, service) => {
    const { sign, listKeyIds, rotate } = await start(service)
    const { kid: first } = await sign()
    const { kid } = await rotate({ now: true })
    service.clock.advance(2 * hour)
    await sweepSigningKeys(service.db, service.clock.now())
    const storedIds = async () => (await listSigningKeys(service.db)).map(key => key.kid)
    const replace = (key: Uint8Array) =>
      replaceUnreadableSigningKeys({ db: service.db, clock: service.clock.now, sealer: createSealer(key) })
    await replace(secretKey)
    assert.deepEqual(await storedIds(), [first, kid])
    await replace(randomBytes(32))
    const [successor, ...others] = await storedIds()
    assert.deepEqual([successor], await listKeyIds())
    assert.ok(successor !== first && successor !== kid && others.length === 0)
  },
  { env },
)

eachService(
  'sign-in/key-compromise: a rotation with `now` replaces the key at once; the old one still verifies its tokens',
  async (_t, service) => {
    const { sign, listKeyIds, rotate } = await start(service)
    const old = await sign()
    await rotate()
    const { kid } = await rotate({ now: true })
    assert.equal((await sign()).kid, kid)
    assert.equal((await listKeyIds()).length, 3)
    const keys = createLocalJWKSet((await service.client().get('/api/oauth2/keys')).body)
    await jwtVerify(old.token, keys, { currentDate: new Date(service.clock.now()) })
  },
  { env },
)

eachService(
  'two parallel rotations create two keys',
  async (_t, service) => {
    const { listKeyIds, rotate } = await start(service)
    assert.equal((await listKeyIds()).length, 1)
    await Promise.all([rotate(), rotate()])
    assert.equal(new Set(await listKeyIds()).size, 3)
  },
  { env },
)

/** What an attacker with `secret.key` and a copy of the database can do. */
async function stealKey(service: TestService, kid: string) {
  const record = (await listSigningKeys(service.db)).find(key => key.kid === kid)
  const sealed = record?.privateKeySealed ?? ''
  const key = await importJWK(
    JSON.parse(createSealer(secretKey).open(sealed, `oauth:signing-key:${kid}`)),
    'RS256',
  )
  return (claims: object) =>
    new SignJWT({ ...claims }).setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid }).sign(key)
}

eachService(
  'sign-in/key-compromise: a withdrawn key is removed at once, and clients reject its tokens ' +
    'after the max-age of the keys',
  async (t, service) => {
    const { sign, listKeyIds, withdraw } = await start(service)
    const real = await sign()
    const kid = real.kid ?? ''
    const forge = await stealKey(service, kid)
    const claims = { ...decodeJwt(real.token), sub: '1', exp: Math.floor(service.clock.now() / 1000) + day }
    const forged = await forge(claims)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const { headers } = await service.client().get('/api/oauth2/keys')
    assert.equal(headers.get('cache-control'), `public, max-age=${keysMaxAge}`)
    assert.equal(keysMaxAge, 300)
    const url = new URL(`${service.url}/api/oauth2/keys`)
    const keys = createRemoteJWKSet(url, { cacheMaxAge: keysMaxAge * 1000 })
    const options = { issuer: service.url, currentDate: new Date(service.clock.now()) }
    const verify = (token: string) => jwtVerify(token, keys, options)
    await verify(forged)

    const { successor } = await withdraw(kid)
    assert.deepEqual(await listKeyIds(), [successor])
    const next = await sign()
    assert.equal(next.kid, successor)
    const hint = `/oauth2/logout?id_token_hint=${forged}`
    assert.equal((await service.client().get(hint)).status, 400)
    await verify(forged)
    t.mock.timers.tick(keysMaxAge * 1000)
    await assert.rejects(verify(forged), { code: 'ERR_JWKS_NO_MATCHING_KEY' })
    await assert.rejects(verify(real.token), { code: 'ERR_JWKS_NO_MATCHING_KEY' })
    assert.equal((await verify(next.token)).payload.iss, service.url)
  },
  { env },
)

eachService(
  'sign-in/key-compromise: access and refresh tokens remain valid when a key is withdrawn',
  async (_t, service) => {
    const { ada, app, withdraw } = await start(service)
    const tokens = await tokensFor(service, ada, app, { scope: 'openid identify' })
    const { successor } = await withdraw(decodeProtectedHeader(tokens.id_token ?? '').kid ?? '')
    assert.equal((await userinfo(service, tokens.access_token)).status, 200)
    const introspected = await post(service, '/api/oauth2/introspect', {
      token: tokens.access_token,
      ...credentialsOf(app),
    })
    assert.equal(introspected.body.active, true)
    const refreshed = await refresh(service, app, tokens.refresh_token)
    assert.equal(decodeProtectedHeader(refreshed.body.id_token).kid, successor)
  },
  { env },
)

eachService(
  'a new key signs when the current one is withdrawn, not the previous or the next one',
  async (_t, service) => {
    const { sign, listKeyIds, rotate, withdraw } = await start(service)
    const { kid: previous = '' } = await sign()
    const { kid: current } = await rotate({ now: true })
    const { kid: next } = await rotate()
    const { successor = '' } = await withdraw(current)
    assert.equal((await sign()).kid, successor)
    assert.deepEqual(await listKeyIds(), [previous, successor, next])
    for (const kid of [previous, next]) assert.deepEqual(await withdraw(kid), { successor: undefined })
    assert.equal((await sign()).kid, successor)
    assert.deepEqual(await listKeyIds(), [successor])
    await assert.rejects(withdraw(previous), /There is no signing key ".+"\./)
  },
  { env },
)

eachService(
  'of concurrent withdrawals of the current key exactly one succeeds, with one new key',
  async (_t, service) => {
    const { sign, listKeyIds, withdraw } = await start(service)
    const { kid = '' } = await sign()
    const results = await Promise.allSettled([withdraw(kid), withdraw(kid), withdraw(kid)])
    const successors = results.flatMap(result =>
      result.status === 'fulfilled' ? [result.value.successor] : [],
    )
    assert.equal(successors.length, 1)
    assert.deepEqual(await listKeyIds(), successors)
  },
  { env },
)
