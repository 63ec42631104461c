import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeBase64url, encodeBase64url } from './base64url.ts'

test('decoding an encoded value returns the same bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array(), bytes => {
      const text = encodeBase64url(bytes)
      assert.match(text, /^[A-Za-z0-9_-]*$/)
      assert.deepEqual(new Uint8Array(decodeBase64url(text) ?? []), bytes)
    }),
  )
})

test('encoding a subarray ignores the rest of its buffer', () => {
  assert.equal(encodeBase64url(new Uint8Array([9, 0xfb, 0xff, 9]).subarray(1, 3)), '-_8')
})

test('decoding rejects padding, other characters and non-zero unused bits', () => {
  for (const text of ['TQ==', 'TR', '+_8', '-/8', 'A', ' TQ', 'TQ\n', 'é']) {
    assert.equal(decodeBase64url(text), undefined, text)
  }
})
