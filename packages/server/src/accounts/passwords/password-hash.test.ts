import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../errors/app-error.ts'
import { createPasswords } from './password-hash.ts'

const lowCosts = { memory: 64, passes: 1 }

test('hash returns a PHC string of argon2id with 19 MiB, two passes and a random salt', async () => {
  const passwords = createPasswords()
  const first = await passwords.hash('correct horse')
  const second = await passwords.hash('correct horse')
  assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.notEqual(first, second)
  assert.equal(await passwords.verify('correct horse', first), true)
  assert.equal(await passwords.verify('correct horsE', first), false)
})

test('verify accepts a hash of the reference implementation (RFC 9106)', async () => {
  // Written by the reference implementation: printf password | argon2 somesalt -id -t 2 -k 65536 -p 1
  const stored = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  assert.equal(await createPasswords(lowCosts).verify('password', stored), true)
  assert.equal(await createPasswords(lowCosts).verify('Password', stored), false)
})

test('verify accepts a hash that version 0.2.0 wrote on Node.js 22', async () => {
  const stored =
    '$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$rk2Mi3E4dgRMg0fHaYaptWVZRKqs//6b6k3/nntqGJk'
  const passwords = createPasswords()
  assert.equal(await passwords.verify('correct horse', stored), true)
  assert.equal(await passwords.verify('correct horsE', stored), false)
  assert.equal(passwords.needsRehash(stored), false)
})

test('verify respects surrounding white space and ignores Unicode composition', async () => {
  const passwords = createPasswords(lowCosts)
  const stored = await passwords.hash(' caf\u00e9 au lait ')
  assert.equal(await passwords.verify(' cafe\u0301 au lait ', stored), true)
  assert.equal(await passwords.verify('caf\u00e9 au lait', stored), false)
})

test('verify returns false without a hash and for a malformed hash', async () => {
  const passwords = createPasswords(lowCosts)
  assert.equal(await passwords.verify('anything', undefined), false)
  assert.equal(await passwords.verify('', 'plain text'), false)
})

test('verify accepts other cost parameters, and needsRehash reports them', async () => {
  const old = await createPasswords({ memory: 32, passes: 1 }).hash('correct horse')
  const passwords = createPasswords(lowCosts)
  assert.equal(await passwords.verify('correct horse', old), true)
  assert.equal(passwords.needsRehash(old), true)
  assert.equal(passwords.needsRehash(await passwords.hash('correct horse')), false)
  assert.equal(passwords.needsRehash('plain text'), true)
})

test('hash throws unavailable if more than 500 computations wait', async () => {
  const passwords = createPasswords(lowCosts)
  const results = await Promise.allSettled(Array.from({ length: 510 }, () => passwords.hash('correct horse')))
  const rejected = results.filter(result => result.status === 'rejected')
  assert.equal(rejected.length, 8)
  for (const { reason } of rejected) {
    assert.ok(reason instanceof AppError)
    assert.equal(reason.status, 503)
    assert.equal(reason.retryAfter, 5)
  }
  assert.match(await passwords.hash('afterwards'), /^\$argon2id/)
})
