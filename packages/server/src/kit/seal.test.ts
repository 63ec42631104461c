import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeBase64url, encodeBase64url } from './base64url.ts'
import { createSealer, DecryptionError } from './seal.ts'

test('open with the same context returns the sealed text', () => {
  const sealer = createSealer(randomBytes(32))
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, context) => {
      assert.equal(sealer.open(sealer.seal(text, context), context), text)
    }),
  )
})

test('sealing the same text twice returns different values that do not contain it', () => {
  const sealer = createSealer(randomBytes(32))
  const [a, b] = [sealer.seal('the token', 'webhook:1'), sealer.seal('the token', 'webhook:1')]
  assert.notEqual(a, b)
  assert.match(a, /^v1\.[A-Za-z0-9_-]+$/)
  assert.ok(!a.includes(encodeBase64url(Buffer.from('the token'))))
})

test('open with another context throws', () => {
  const sealer = createSealer(randomBytes(32))
  const sealed = sealer.seal('the token', 'webhook:1')
  assert.throws(() => sealer.open(sealed, 'webhook:2'), DecryptionError)
})

test('open with another key throws', () => {
  const sealed = createSealer(randomBytes(32)).seal('the token', 'webhook:1')
  assert.throws(() => createSealer(randomBytes(32)).open(sealed, 'webhook:1'), DecryptionError)
})

test('open throws if any bit was changed', () => {
  const sealer = createSealer(randomBytes(32))
  const bytes = decodeBase64url(sealer.seal('t', 'c').slice(3)) ?? new Uint8Array()
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Uint8Array.from(bytes)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    assert.throws(() => sealer.open(`v1.${encodeBase64url(changed)}`, 'c'), DecryptionError)
  }
})

test('open of an invalid value throws without its content in the error', () => {
  const sealer = createSealer(randomBytes(32))
  const good = sealer.seal('secret text', 'c')
  for (const text of ['', 'v1.', 'v1.AAAA', 'secret text', good.slice(3), `v2${good.slice(2)}`, `${good}=`]) {
    assert.throws(
      () => sealer.open(text, 'c'),
      (error: unknown) => error instanceof DecryptionError && !error.message.includes('secret text'),
    )
  }
})

test('overwriting the key after creation does not affect the sealer', () => {
  const key = randomBytes(32)
  const sealer = createSealer(key)
  const sealed = sealer.seal('text', 'c')
  key.fill(0)
  assert.equal(sealer.open(sealed, 'c'), 'text')
})

test('a key that does not have 32 bytes is rejected', () => {
  for (const length of [0, 16, 31, 33]) assert.throws(() => createSealer(randomBytes(length)), RangeError)
})
