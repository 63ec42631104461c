import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { listenHttp } from '@gatehouse/testkit/listen'
import { verifyIdToken } from './id-token.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const now = Date.UTC(2026, 0, 15, 12)
const good = {
  iss: 'https://chat.example.org',
  aud: 'site',
  sub: '1',
  nonce: 'n',
  iat: now / 1000 - 1,
  exp: now / 1000 + 3600,
  name: 'Ana',
  preferred_username: 'ana',
  picture: 'https://chat.example.org/avatars/1',
}

function token(claims: object, header: object = { alg: 'RS256', kid: 'k1' }): string {
  const text = [header, claims].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
}

async function expected(t: TestContext) {
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256', use: 'sig' }
  const { url: jwksUri } = await listenHttp(t, (_, response) => response.end(JSON.stringify({ keys: [jwk] })))
  return { jwksUri, issuer: good.iss, clientId: good.aud, nonce: good.nonce, now }
}

test('returns the claims of a valid token', async t => {
  const claims = await verifyIdToken(token(good), await expected(t))
  assert.deepEqual([claims.sub, claims.name], ['1', 'Ana'])
})

test('rejects each unexpected claim', async t => {
  const options = await expected(t)
  const cases: [object, RegExp][] = [
    [{ iss: 'https://evil.example' }, /another issuer/],
    [{ aud: 'other' }, /another client/],
    [{ nonce: 'other' }, /nonce .* does not match/],
    [{ nonce: undefined }, /nonce .* does not match/],
    [{ exp: now / 1000 - 61 }, /expired/],
    [{ exp: undefined }, /expired/],
    [{ iat: now / 1000 + 61 }, /in the future/],
  ]
  for (const [change, message] of cases) {
    await assert.rejects(verifyIdToken(token({ ...good, ...change }), options), message)
  }
})

test('rejects a token that is unsigned or signed with another key', async t => {
  const options = await expected(t)
  const [header, , signature] = token(good).split('.')
  const forged = Buffer.from(JSON.stringify({ ...good, sub: '2' })).toString('base64url')
  await assert.rejects(verifyIdToken(`${header}.${forged}.${signature}`, options), /signature/)
  await assert.rejects(verifyIdToken(token(good, { alg: 'RS256', kid: 'k2' }), options), /unknown key/)
  await assert.rejects(verifyIdToken(token(good, { alg: 'none' }), options), /must be signed with RS256/)
  await assert.rejects(
    verifyIdToken(token(good, { alg: 'HS256', kid: 'k1' }), options),
    /must be signed with RS256/,
  )
})
