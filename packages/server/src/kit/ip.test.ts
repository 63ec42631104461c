import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addressKey } from './ip.ts'

test('an IPv4 address counts whole', () => {
  assert.equal(addressKey('192.0.2.1'), '192.0.2.1')
  assert.notEqual(addressKey('192.0.2.1'), addressKey('192.0.2.2'))
})

test('an IPv4 address in IPv6 clothes counts as itself', () => {
  for (const ip of [
    '::ffff:192.0.2.1',
    '::FFFF:c000:201',
    '0:0:0:0:0:ffff:192.0.2.1',
    '::ffff:192.0.2.1%eth0',
  ]) {
    assert.equal(addressKey(ip), '192.0.2.1', ip)
  }
})

test('an IPv6 address counts by its first 64 bits, however it is written', () => {
  const spellings = [
    '2001:db8:0:1::1',
    '2001:0DB8:0000:0001:ffff:ffff:ffff:ffff',
    '2001:db8:0:1::',
    '2001:db8::1:0:0:192.0.2.1',
  ]
  for (const ip of spellings) assert.equal(addressKey(ip), '2001:db8:0:1::/64', ip)
  assert.equal(addressKey('2001:db8:0:2::1'), '2001:db8:0:2::/64')
  assert.equal(addressKey('::1'), '0:0:0:0::/64')
  assert.equal(addressKey('fe80::1%eth0'), 'fe80:0:0:0::/64')
})

test('what is no address shares one key', () => {
  for (const ip of ['', 'localhost', '192.0.2', '192.0.2.256', '1::2::3', 'g::', '192.0.2.1%eth0']) {
    assert.equal(addressKey(ip), 'invalid', ip)
  }
})

test('any two addresses of one /64 have one key, of two have two', () => {
  const half = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 4, maxLength: 4 })
  const text = (groups: number[]) => groups.map(group => group.toString(16)).join(':')
  fc.assert(
    fc.property(half, half, half, half, (network, a, other, b) => {
      fc.pre([network, other].every(groups => groups.some(group => group !== 0)))
      const key = addressKey(text([...network, ...a]))
      assert.equal(key, addressKey(text([...network, ...b])))
      assert.equal(key === addressKey(text([...other, ...b])), text(network) === text(other))
    }),
  )
})
