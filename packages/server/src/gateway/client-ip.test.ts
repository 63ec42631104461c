import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClientIpResolver } from './client-ip.ts'

const cases: [string, readonly string[], string, string | undefined, string][] = [
  ['X-Forwarded-For is ignored without trusted proxies', [], '192.0.2.1', '198.51.100.7', '192.0.2.1'],
  [
    'X-Forwarded-For is ignored if the remote address is not a trusted proxy',
    ['10.0.0.0/8'],
    '192.0.2.1',
    '198.51.100.7',
    '192.0.2.1',
  ],
  [
    'a trusted proxy’s X-Forwarded-For contains the client IP',
    ['10.0.0.0/8'],
    '10.1.2.3',
    '198.51.100.7',
    '198.51.100.7',
  ],
  [
    'addresses that the client added to X-Forwarded-For are ignored',
    ['10.0.0.1'],
    '10.0.0.1',
    '1.2.3.4, 198.51.100.7',
    '198.51.100.7',
  ],
  ['two trusted proxies are skipped', ['10.0.0.0/8'], '10.0.0.1', '198.51.100.7, 10.0.0.2', '198.51.100.7'],
  [
    'a trusted proxy without X-Forwarded-For counts as the client',
    ['10.0.0.0/8'],
    '10.0.0.1',
    undefined,
    '10.0.0.1',
  ],
  [
    'an X-Forwarded-For that is not an IP address is ignored',
    ['10.0.0.0/8'],
    '10.0.0.1',
    'unknown',
    '10.0.0.1',
  ],
  ['IPv6 proxies and clients', ['::1', 'fd00::/8'], 'fd00::1', '2001:db8::1', '2001:db8::1'],
  [
    'an IPv4-mapped IPv6 address matches an IPv4 proxy',
    ['127.0.0.1'],
    '::ffff:127.0.0.1',
    '198.51.100.7',
    '198.51.100.7',
  ],
]

for (const [name, trustedProxies, remote, header, expected] of cases) {
  test(name, () => assert.equal(createClientIpResolver(trustedProxies)(remote, header), expected))
}
