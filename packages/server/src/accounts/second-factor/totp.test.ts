import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeTotp, generateTotpSecret, verifyTotp } from './totp.ts'

// RFC 6238, appendix B: the secret is `12345678901234567890` in base32, each code the last six of the eight digits.
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const vectors = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
] as const

for (const [seconds, code] of vectors) {
  test(`accepts ${code} at ${seconds} s and one step before and after (RFC 6238, appendix B)`, async () => {
    const step = Math.floor(seconds / 30)
    for (const current of [step - 1, step, step + 1]) {
      assert.equal(await verifyTotp(secret, code, current * 30_000), step)
      assert.equal(await verifyTotp(secret, code, current * 30_000 + 29_999), step)
    }
    // Times before 1970 have no step.
    if (step > 1) assert.equal(await verifyTotp(secret, code, (step - 1) * 30_000 - 1), undefined)
    assert.equal(await verifyTotp(secret, code, (step + 2) * 30_000), undefined)
  })
}

test('rejects a code that is not six ASCII digits', async () => {
  for (const code of ['', '28708', '2870820', '28708a', ' 287082', '２８７０８２']) {
    assert.equal(await verifyTotp(secret, code, 59_000), undefined)
  }
})

test('generates a different secret of 160 bits in base32 each time', async () => {
  const [first, second] = await Promise.all([generateTotpSecret(), generateTotpSecret()])
  assert.match(first, /^[A-Z2-7]{32}$/)
  assert.notEqual(first, second)
})

test('describes issuer, username and secret as a key URI and as a QR code', async () => {
  const issuer = 'Gatehouse (chat.example.org)'
  const { uri, qr } = await describeTotp(secret, { issuer, username: 'ada' })
  const url = new URL(uri)
  assert.equal(url.protocol, 'otpauth:')
  assert.equal(url.host, 'totp')
  assert.equal(decodeURIComponent(url.pathname), `/${issuer}:ada`)
  assert.equal(url.searchParams.get('secret'), secret)
  assert.equal(url.searchParams.get('issuer'), issuer)
  assert.match(qr, /^<svg [^>]*viewBox="0 0 \d+ \d+"/)
  assert.doesNotMatch(qr, /<script/)
})
