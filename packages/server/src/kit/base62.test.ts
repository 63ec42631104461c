import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { base62Digits, toBase62 } from './base62.ts'

test('toBase62 pads with zeros on the left', () => {
  assert.equal(toBase62(0, 6), '000000')
  assert.equal(toBase62(61, 1), 'z')
  assert.equal(toBase62(62, 2), '10')
  assert.equal(toBase62(0xffffffff, 6), '4gfFC3')
})

test('toBase62 is reversible for every safe integer', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), value => {
      const digits = [...toBase62(value, 9)].map(digit => base62Digits.indexOf(digit))
      assert.equal(
        digits.reduce((sum, digit) => sum * 62 + digit, 0),
        value,
      )
    }),
  )
})
