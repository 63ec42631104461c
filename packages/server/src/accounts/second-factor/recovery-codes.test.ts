import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { generateRecoveryCodes, hashRecoveryCode } from './recovery-codes.ts'

const key = randomBytes(32)

test('generates ten different codes in Crockford base32', () => {
  const codes = generateRecoveryCodes()
  assert.equal(new Set(codes).size, 10)
  for (const code of codes) assert.match(code, /^[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}$/)
})

test('ignores case, spaces and dashes, and accepts letters that look like digits', () => {
  const hash = hashRecoveryCode(key, '1', '0k1ab-9mzt0')
  for (const written of ['0K1AB-9MZT0', ' 0k1ab 9mzt0 ', '0k1ab9mzt0', 'okiab–9mzto', 'OKLAB-9MZTO']) {
    assert.equal(hashRecoveryCode(key, '1', written), hash, written)
  }
  assert.notEqual(hashRecoveryCode(key, '1', '0k1ab-9mzt1'), hash)
})

test('the hash depends on the user and on the secret key', () => {
  const hash = hashRecoveryCode(key, '1', '0k1ab-9mzt0')
  assert.notEqual(hashRecoveryCode(key, '2', '0k1ab-9mzt0'), hash)
  assert.notEqual(hashRecoveryCode(randomBytes(32), '1', '0k1ab-9mzt0'), hash)
})
