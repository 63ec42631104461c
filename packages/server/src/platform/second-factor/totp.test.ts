import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeTotp, makeTotpSecret, stepOf } from './totp.ts'

// RFC 6238, appendix B: the secret `12345678901234567890` in base32; the last six of its eight digits.
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
  test(`RFC 6238, appendix B: ${code} is the code at ${seconds}, and in the step before and after`, async () => {
    const step = Math.floor(seconds / 30)
    for (const at of [step - 1, step, step + 1]) {
      assert.equal(await stepOf(secret, code, at * 30_000), step)
      assert.equal(await stepOf(secret, code, at * 30_000 + 29_999), step)
    }
    // Before 1970 there is no step.
    if (step > 1) assert.equal(await stepOf(secret, code, (step - 1) * 30_000 - 1), undefined)
    assert.equal(await stepOf(secret, code, (step + 2) * 30_000), undefined)
  })
}

test('what is not six digits is no code', async () => {
  for (const code of ['', '28708', '2870820', '28708a', ' 287082', '２８７０８２']) {
    assert.equal(await stepOf(secret, code, 59_000), undefined)
  }
})

test('a new secret has 160 bits in base32, and each is another', async () => {
  const [one, other] = await Promise.all([makeTotpSecret(), makeTotpSecret()])
  assert.match(one, /^[A-Z2-7]{32}$/)
  assert.notEqual(one, other)
})

test('an app reads issuer, name and secret from the address, and the same from the picture', async () => {
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
