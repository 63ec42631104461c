import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { base62Digits, toBase62 } from './base62.ts'
import {
  hashSecret,
  isWellFormedSecret,
  isWellFormedWebhookToken,
  makePlacedSecret,
  makeSecret,
  makeWebhookToken,
  readPlacedSecret,
  sameSecret,
  secretPrefixes,
} from './secret.ts'

const prefixes = Object.values(secretPrefixes)

test('a secret is its prefix, 43 characters of base62 and 6 of their check sum', () => {
  for (const prefix of prefixes) {
    const secret = makeSecret(prefix)
    assert.match(secret, new RegExp(`^${prefix}[0-9A-Za-z]{49}$`))
    assert.equal(secret.slice(-6), toBase62(crc32(secret.slice(0, -6)), 6))
    assert.equal(isWellFormedSecret(prefix, secret), true)
  }
})

test('a secret is well-formed under its own prefix only', () => {
  const secret = makeSecret('gat_')
  for (const prefix of prefixes) assert.equal(isWellFormedSecret(prefix, secret), prefix === 'gat_')
  assert.equal(isWellFormedSecret('grt_', `grt_${secret.slice(4)}`), false)
})

test('a secret with any one character changed is malformed', () => {
  const secret = makeSecret('gat_')
  for (let i = 4; i < secret.length; i++) {
    const other = secret[i] === 'x' ? 'y' : 'x'
    assert.equal(isWellFormedSecret('gat_', secret.slice(0, i) + other + secret.slice(i + 1)), false)
  }
})

test('what is no secret is malformed', () => {
  const secret = makeSecret('gat_')
  const others = ['', 'gat_', secret.slice(0, -1), `${secret}0`, ` ${secret}`, secret.toLowerCase().slice(4)]
  const strange = [
    `${secret.slice(0, 20)}é${secret.slice(21)}`,
    `${secret.slice(0, 20)}\0${secret.slice(21)}`,
  ]
  for (const text of [...others, ...strange, `gat_${'-'.repeat(49)}`]) {
    assert.equal(isWellFormedSecret('gat_', text), false, JSON.stringify(text))
  }
})

test('20,000 secrets differ and use all digits about equally at every place', () => {
  const secrets = Array.from({ length: 20_000 }, () => makeSecret('gat_'))
  assert.equal(new Set(secrets).size, 20_000)
  for (const place of [4, 25, 46]) {
    const counts = new Map<string, number>()
    for (const secret of secrets)
      counts.set(secret.charAt(place), (counts.get(secret.charAt(place)) ?? 0) + 1)
    // 20,000 / 62 is 322.6, its standard deviation 17.8: seven of these either way.
    for (const digit of base62Digits) {
      const count = counts.get(digit) ?? 0
      assert.ok(count > 198 && count < 448, `${digit} at ${place}: ${count}`)
    }
    // A byte taken modulo 62 would favour the first eight: 3,125 of them and not 2,581, deviation 47.
    const firstEight = [...base62Digits.slice(0, 8)].reduce((sum, digit) => sum + (counts.get(digit) ?? 0), 0)
    assert.ok(firstEight > 2252 && firstEight < 2910, `${firstEight} at ${place}`)
  }
})

const placed = ['gac_', 'gat_', 'grt_'] as const

test('a placed secret is as long as any other and says its id again', () => {
  const ids = ['10000000000000000', '1000000000000000001', '1503602194636431361', '18446744073709551615']
  for (const prefix of placed) {
    for (const id of ids) {
      const secret = makePlacedSecret(prefix, id)
      assert.match(secret, new RegExp(`^${prefix}[0-9A-Za-z]{49}$`))
      assert.equal(isWellFormedSecret(prefix, secret), true)
      assert.deepEqual(readPlacedSecret(prefix, secret), { id, hash: hashSecret(secret) })
    }
  }
})

test('of a placed secret the 32 characters behind the id are random', () => {
  const secrets = Array.from({ length: 20_000 }, () => makePlacedSecret('gat_', '1503602194636431361'))
  assert.equal(new Set(secrets).size, 20_000)
  assert.equal(new Set(secrets.map(secret => secret.slice(0, 15))).size, 1)
  for (const place of [15, 30, 46]) {
    assert.equal(new Set(secrets.map(secret => secret[place])).size, 62, String(place))
  }
})

test('a placed secret is refused under another prefix, with any character changed, with an id that is none', () => {
  const secret = makePlacedSecret('gat_', '1503602194636431361')
  assert.equal(readPlacedSecret('grt_', secret), undefined)
  for (let i = 4; i < secret.length; i++) {
    const other = secret[i] === 'x' ? 'y' : 'x'
    assert.equal(readPlacedSecret('gat_', secret.slice(0, i) + other + secret.slice(i + 1)), undefined)
  }
  for (const place of ['00000000000', '00000000001', '00Zzzzzzzzz']) {
    const body = `gat_${place}${'a'.repeat(32)}`
    assert.equal(isWellFormedSecret('gat_', body + toBase62(crc32(body), 6)), true)
    assert.equal(readPlacedSecret('gat_', body + toBase62(crc32(body), 6)), undefined)
  }
})

test('a webhook token is 68 characters without a prefix, each one different', () => {
  const tokens = Array.from({ length: 5000 }, makeWebhookToken)
  assert.equal(new Set(tokens).size, 5000)
  for (const token of tokens) assert.match(token, /^[A-Za-z0-9_-]{68}$/)
  assert.equal(isWellFormedWebhookToken(tokens[0] ?? ''), true)
  for (const text of ['', 'a'.repeat(67), 'a'.repeat(69), `${'a'.repeat(67)}.`, `${'a'.repeat(68)}\n`]) {
    assert.equal(isWellFormedWebhookToken(text), false)
  }
})

test('a secret is stored as SHA-256 in base64url', () => {
  assert.equal(hashSecret('abc'), 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0')
})

test('check 57: hashes are the same only where the secrets are, of whatever length they are', () => {
  const [a, b] = [makeSecret('gat_'), makeSecret('gat_')]
  assert.equal(sameSecret(hashSecret(a), hashSecret(a)), true)
  assert.equal(sameSecret(hashSecret(a), hashSecret(b)), false)
  assert.equal(sameSecret(hashSecret(a), ''), false)
  assert.equal(sameSecret(hashSecret(a), `${hashSecret(a)}x`), false)
})
