import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ipRateLimitKey } from './ip.ts'

test('the key of an IPv4 address is the whole address', () => {
  assert.equal(ipRateLimitKey('192.0.2.1'), '192.0.2.1')
  assert.notEqual(ipRateLimitKey('192.0.2.1'), ipRateLimitKey('192.0.2.2'))
})

test('the key of an IPv4-mapped IPv6 address is the IPv4 address', () => {
  for (const ip of [
    '::ffff:192.0.2.1',
    '::FFFF:c000:201',
    '0:0:0:0:0:ffff:192.0.2.1',
    '::ffff:192.0.2.1%eth0',
  ]) {
    assert.equal(ipRateLimitKey(ip), '192.0.2.1', ip)
  }
})

test('the key of an IPv6 address is its first 64 bits, in any notation', () => {
  const spellings = [
    '2001:db8:0:1::1',
    '2001:0DB8:0000:0001:ffff:ffff:ffff:ffff',
    '2001:db8:0:1::',
    '2001:db8::1:0:0:192.0.2.1',
  ]
  for (const ip of spellings) assert.equal(ipRateLimitKey(ip), '2001:db8:0:1::/64', ip)
  assert.equal(ipRateLimitKey('2001:db8:0:2::1'), '2001:db8:0:2::/64')
  assert.equal(ipRateLimitKey('::1'), '0:0:0:0::/64')
  assert.equal(ipRateLimitKey('fe80::1%eth0'), 'fe80:0:0:0::/64')
})

test('each text that is no address has a key of its own', () => {
  const texts = ['', 'localhost', '192.0.2', '192.0.2.256', '1::2::3', 'g::', '192.0.2.1%eth0']
  assert.equal(new Set(['192.0.2.1', ...texts].map(ipRateLimitKey)).size, texts.length + 1)
})

test('two IPv6 addresses have the same key exactly if they are in the same /64', () => {
  const half = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 4, maxLength: 4 })
  const text = (groups: number[]) => groups.map(group => group.toString(16)).join(':')
  fc.assert(
    fc.property(half, half, half, half, (network, a, other, b) => {
      fc.pre([network, other].every(groups => groups.some(group => group !== 0)))
      const key = ipRateLimitKey(text([...network, ...a]))
      assert.equal(key, ipRateLimitKey(text([...network, ...b])))
      assert.equal(key === ipRateLimitKey(text([...other, ...b])), text(network) === text(other))
    }),
  )
})
