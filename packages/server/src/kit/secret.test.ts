import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { base62Digits, toBase62 } from './base62.ts'
import {
  constantTimeEqual,
  createDerivedToken,
  createSecret,
  createToken,
  createWebhookToken,
  hashSecret,
  isWellFormedSecret,
  isWellFormedWebhookToken,
  parseToken,
  secretPrefixes,
} from './secret.ts'

const prefixes = Object.values(secretPrefixes)

test('a secret has a prefix, 43 base62 characters and a checksum of 6', () => {
  for (const prefix of prefixes) {
    const secret = createSecret(prefix)
    assert.match(secret, new RegExp(`^${prefix}[0-9A-Za-z]{49}$`))
    assert.equal(secret.slice(-6), toBase62(crc32(secret.slice(0, -6)), 6))
    assert.equal(isWellFormedSecret(prefix, secret), true)
  }
})

test('a secret is well-formed only with its own prefix', () => {
  const secret = createSecret('gat_')
  for (const prefix of prefixes) assert.equal(isWellFormedSecret(prefix, secret), prefix === 'gat_')
  assert.equal(isWellFormedSecret('grt_', `grt_${secret.slice(4)}`), false)
})

test('a secret with any one character changed is malformed', () => {
  const secret = createSecret('gat_')
  for (let i = 4; i < secret.length; i++) {
    const other = secret[i] === 'x' ? 'y' : 'x'
    assert.equal(isWellFormedSecret('gat_', secret.slice(0, i) + other + secret.slice(i + 1)), false)
  }
})

test('other text is malformed', () => {
  const secret = createSecret('gat_')
  const others = ['', 'gat_', secret.slice(0, -1), `${secret}0`, ` ${secret}`, secret.toLowerCase().slice(4)]
  const invalidCharacters = [
    `${secret.slice(0, 20)}é${secret.slice(21)}`,
    `${secret.slice(0, 20)}\0${secret.slice(21)}`,
  ]
  for (const text of [...others, ...invalidCharacters, `gat_${'-'.repeat(49)}`]) {
    assert.equal(isWellFormedSecret('gat_', text), false, JSON.stringify(text))
  }
})

test('20,000 secrets are unique, and all digits are about equally frequent at every position', () => {
  const secrets = Array.from({ length: 20_000 }, () => createSecret('gat_'))
  assert.equal(new Set(secrets).size, 20_000)
  for (const index of [4, 25, 46]) {
    const counts = new Map<string, number>()
    for (const secret of secrets)
      counts.set(secret.charAt(index), (counts.get(secret.charAt(index)) ?? 0) + 1)
    // The expected count is 20,000 / 62 = 322.6 with a standard deviation of 17.8. The limits are seven deviations.
    for (const digit of base62Digits) {
      const count = counts.get(digit) ?? 0
      assert.ok(count > 198 && count < 448, `${digit} at ${index}: ${count}`)
    }
    // A random byte modulo 62 would give the first eight digits 3,125 times instead of 2,581 (standard deviation 47).
    const firstEight = [...base62Digits.slice(0, 8)].reduce((sum, digit) => sum + (counts.get(digit) ?? 0), 0)
    assert.ok(firstEight > 2252 && firstEight < 2910, `${firstEight} at ${index}`)
  }
})

const tokenPrefixes = ['gac_', 'gat_', 'grt_'] as const

test('a token has the same format as other secrets and parses to its row id', () => {
  const ids = ['10000000000000000', '1000000000000000001', '1503602194636431361', '18446744073709551615']
  for (const prefix of tokenPrefixes) {
    for (const id of ids) {
      const secret = createToken(prefix, id)
      assert.match(secret, new RegExp(`^${prefix}[0-9A-Za-z]{49}$`))
      assert.equal(isWellFormedSecret(prefix, secret), true)
      assert.deepEqual(parseToken(prefix, secret), { id, hash: hashSecret(secret) })
    }
  }
})

test('the 32 characters after the id of a token are random', () => {
  const secrets = Array.from({ length: 20_000 }, () => createToken('gat_', '1503602194636431361'))
  assert.equal(new Set(secrets).size, 20_000)
  assert.equal(new Set(secrets.map(secret => secret.slice(0, 15))).size, 1)
  for (const index of [15, 30, 46]) {
    assert.equal(new Set(secrets.map(secret => secret[index])).size, 62, String(index))
  }
})

test('a derived token depends on the id and all of the MAC, and parses to its row id', () => {
  const id = '1503602194636431361'
  const derive = (mac: string, ofId = id) => createDerivedToken('gdi_', ofId, Buffer.from(mac, 'hex'))
  const token = derive('01'.repeat(32))
  assert.equal(token, derive('01'.repeat(32)))
  assert.deepEqual(parseToken('gdi_', token), { id, hash: hashSecret(token) })
  const others = [
    derive(`02${'01'.repeat(31)}`),
    derive(`${'01'.repeat(31)}02`),
    derive('00'.repeat(32)),
    derive('ff'.repeat(32)),
    derive('01'.repeat(32), '1503602194636431362'),
  ]
  assert.equal(new Set([token, ...others].map(each => each.slice(0, -6))).size, 6)
  for (const other of others) assert.equal(isWellFormedSecret('gdi_', other), true)
})

test('a token does not parse with another prefix, a changed character or an invalid id', () => {
  const secret = createToken('gat_', '1503602194636431361')
  assert.equal(parseToken('grt_', secret), undefined)
  for (let i = 4; i < secret.length; i++) {
    const other = secret[i] === 'x' ? 'y' : 'x'
    assert.equal(parseToken('gat_', secret.slice(0, i) + other + secret.slice(i + 1)), undefined)
  }
  for (const encodedId of ['00000000000', '00000000001', '00Zzzzzzzzz']) {
    const body = `gat_${encodedId}${'a'.repeat(32)}`
    assert.equal(isWellFormedSecret('gat_', body + toBase62(crc32(body), 6)), true)
    assert.equal(parseToken('gat_', body + toBase62(crc32(body), 6)), undefined)
  }
})

test('webhook tokens have 68 characters without a prefix and are unique', () => {
  const tokens = Array.from({ length: 5000 }, createWebhookToken)
  assert.equal(new Set(tokens).size, 5000)
  for (const token of tokens) assert.match(token, /^[A-Za-z0-9_-]{68}$/)
  assert.equal(isWellFormedWebhookToken(tokens[0] ?? ''), true)
  for (const text of ['', 'a'.repeat(67), 'a'.repeat(69), `${'a'.repeat(67)}.`, `${'a'.repeat(68)}\n`]) {
    assert.equal(isWellFormedWebhookToken(text), false)
  }
})

test('hashSecret returns SHA-256 in base64url', () => {
  assert.equal(hashSecret('abc'), 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0')
})

test('constantTimeEqual compares hashes of any length (webhooks/unknown-webhook)', () => {
  const [a, b] = [createSecret('gat_'), createSecret('gat_')]
  assert.equal(constantTimeEqual(hashSecret(a), hashSecret(a)), true)
  assert.equal(constantTimeEqual(hashSecret(a), hashSecret(b)), false)
  assert.equal(constantTimeEqual(hashSecret(a), ''), false)
  assert.equal(constantTimeEqual(hashSecret(a), `${hashSecret(a)}x`), false)
})
