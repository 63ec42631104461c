import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../kit/app-error.ts'
import { createPasswords } from './password.ts'

const light = { memory: 64, passes: 1 }

test('a stored password is a PHC text of argon2id with 19 MiB and two passes, another one each time', async () => {
  const passwords = createPasswords()
  const first = await passwords.hash('correct horse')
  const second = await passwords.hash('correct horse')
  assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.notEqual(first, second)
  assert.equal(await passwords.verify('correct horse', first), true)
  assert.equal(await passwords.verify('correct horsE', first), false)
})

test('the hash is the one of RFC 9106 as other programs write it', async () => {
  // The reference program: printf password | argon2 somesalt -id -t 2 -k 65536 -p 1
  const stored = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  assert.equal(await createPasswords(light).verify('password', stored), true)
  assert.equal(await createPasswords(light).verify('Password', stored), false)
})

test('white space around a password is part of it, and composed letters are the same as composing ones', async () => {
  const passwords = createPasswords(light)
  const stored = await passwords.hash(' caf\u00e9 au lait ')
  assert.equal(await passwords.verify(' cafe\u0301 au lait ', stored), true)
  assert.equal(await passwords.verify('caf\u00e9 au lait', stored), false)
})

test('nothing, and what is not a stored password, matches no password', async () => {
  const passwords = createPasswords(light)
  assert.equal(await passwords.verify('anything', undefined), false)
  assert.equal(await passwords.verify('', 'plain text'), false)
})

test('a password stored with other costs still holds and asks to be stored anew', async () => {
  const old = await createPasswords({ memory: 32, passes: 1 }).hash('correct horse')
  const passwords = createPasswords(light)
  assert.equal(await passwords.verify('correct horse', old), true)
  assert.equal(passwords.needsRehash(old), true)
  assert.equal(passwords.needsRehash(await passwords.hash('correct horse')), false)
  assert.equal(passwords.needsRehash('plain text'), true)
})

test('a burst is worked off in turn, and beyond 500 waiting the rest is told to come back', async () => {
  const passwords = createPasswords(light)
  const results = await Promise.allSettled(Array.from({ length: 510 }, () => passwords.hash('correct horse')))
  const refused = results.filter(result => result.status === 'rejected')
  assert.equal(refused.length, 8)
  for (const { reason } of refused) {
    assert.ok(reason instanceof AppError)
    assert.equal(reason.status, 503)
    assert.equal(reason.retryAfter, 5)
  }
  assert.match(await passwords.hash('afterwards'), /^\$argon2id/)
})
