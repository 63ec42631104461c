import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIpFilter } from './ip-filter.ts'

/** Normalizes the host with the URL parser, as `createOutgoing` does. */
function allows(host: string, scheme: string, ...allowed: string[]): boolean {
  const { hostname } = new URL(`${scheme}//${host}/`)
  return createIpFilter(allowed).allows(hostname.replace(/^\[|\]$/g, ''), scheme)
}

test('rejects IP addresses that are not public, in every spelling (bots/outgoing-address-forms)', () => {
  for (const host of [
    // The first and the last address of each block (bots/outgoing-requests).
    ...['127.0.0.1', '127.255.255.255', '10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255'],
    ...['192.168.0.1', '192.168.255.255', '169.254.169.254', '100.64.0.1', '100.127.255.255'],
    ...['0.0.0.0', '0.1.2.3', '192.0.0.8', '198.18.0.1', '198.19.255.255', '224.0.0.1', '239.255.255.250'],
    ...['240.0.0.1', '255.255.255.255', '192.0.2.1', '198.51.100.1', '203.0.113.1', '192.88.99.1'],
    ...['[::1]', '[::]', '[fc00::1]', '[fdff:ffff::1]', '[fe80::1]', '[febf::1]', '[fec0::1]', '[ff02::1]'],
    // Spellings of IPv4 addresses (bots/outgoing-address-forms).
    ...['2130706433', '0x7f.1', '0177.0.0.1', '127.1', '１２７.0.0.1', '127。0。0。1', '0', '127.0.0.1.'],
    // IPv4-mapped addresses (bots/outgoing-address-forms).
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:a00:1]', '[::ffff:169.254.169.254]'],
    // IPv4-compatible addresses, both NAT64 prefixes, 6to4 and Teredo (bots/outgoing-address-forms).
    ...['[::127.0.0.1]', '[::10.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]'],
    ...['[64:ff9b:1::10.0.0.1]', '[2002:7f00:1::]', '[2002:a00:1::1]', '[2001::1]', '[2001:0:4136:e378::1]'],
    ...['[2001:db8::1]', '[3fff::1]', '[100::1]', '[5f00::1]', '[::ffff:0:127.0.0.1]'],
  ]) {
    assert.equal(allows(host, 'https:'), false, host)
    assert.equal(allows(host, 'http:'), false, host)
  }
})

test('with `publicHttp`, public addresses are allowed by http too, and no other ones (webhooks/media-proxy)', () => {
  const filter = createIpFilter(['10.0.0.0/24'], { publicHttp: true })
  for (const scheme of ['http:', 'https:']) {
    for (const ip of ['1.1.1.1', '2606:4700:4700::1111', '10.0.0.1']) assert.ok(filter.allows(ip, scheme), ip)
    for (const ip of ['10.0.1.1', '127.0.0.1', '::1', '::ffff:127.0.0.1', '169.254.169.254', 'fe80::1'])
      assert.ok(!filter.allows(ip, scheme), ip)
  }
  for (const scheme of ['ftp:', 'file:', 'data:']) assert.ok(!filter.allows('1.1.1.1', scheme))
})

test('allows public IP addresses by https only (bots/endpoint-url)', () => {
  for (const host of [
    ...['1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '172.15.0.1', '172.32.0.1'],
    ...['192.167.1.1', '223.255.255.255', '[2606:4700:4700::1111]', '[2a00:1450::1]', '[2001:200::1]'],
    ...['[::ffff:1.1.1.1]', '[64:ff9b::1.1.1.1]'],
  ]) {
    assert.equal(allows(host, 'https:'), true, host)
    for (const scheme of ['http:', 'ftp:']) assert.equal(allows(host, scheme), false, `${scheme} ${host}`)
    assert.equal(allows(host, 'http:', '127.0.0.0/8'), false, host)
  }
})

test('allows exactly the addresses in ALLOW_PRIVATE_TARGETS, by http too (bots/outgoing-requests)', () => {
  for (const scheme of ['http:', 'https:']) {
    assert.equal(allows('127.0.0.1', scheme, '127.0.0.0/8'), true)
    assert.equal(allows('2130706433', scheme, '127.0.0.0/8'), true)
    assert.equal(allows('[::ffff:127.9.9.9]', scheme, '127.0.0.0/8'), true)
    assert.equal(allows('10.0.0.7', scheme, '127.0.0.0/8', '10.0.0.7'), true)
    assert.equal(allows('[fd00::7]', scheme, 'fd00::/8'), true)
    assert.equal(allows('[::1]', scheme, '::1'), true)
    assert.equal(allows('127.0.0.1', scheme, '::ffff:127.0.0.1'), true)

    assert.equal(allows('10.0.0.8', scheme, '127.0.0.0/8', '10.0.0.7'), false)
    assert.equal(allows('[::1]', scheme, '127.0.0.0/8'), false)
    assert.equal(allows('[64:ff9b::127.0.0.1]', scheme, '127.0.0.0/8'), false)
    assert.equal(allows('[2002:7f00:1::]', scheme, '127.0.0.0/8'), false)
    assert.equal(allows('127.0.0.1', scheme, '::/0'), false)
    assert.equal(allows('[::1]', scheme, '0.0.0.0/0'), false)
  }
})

test('rejects text that is not an IP address or has a zone id', () => {
  const filter = createIpFilter(['0.0.0.0/0', '::/0'])
  for (const text of ['', 'localhost', 'fe80::1%eth0', '1.2.3', '1.2.3.4/8', '[::1]']) {
    assert.equal(filter.allows(text, 'https:'), false, text)
  }
})

test('allows the scheme http only if ALLOW_PRIVATE_TARGETS is not empty', () => {
  assert.deepEqual(
    ['https:', 'http:', 'file:'].map(scheme => createIpFilter([]).allowsScheme(scheme)),
    [true, false, false],
  )
  assert.equal(createIpFilter(['10.0.0.0/8']).allowsScheme('http:'), true)
})
