import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClientAddress } from './client-address.ts'

const cases: [string, readonly string[], string, string | undefined, string][] = [
  ['without proxies the header is not believed', [], '192.0.2.1', '198.51.100.7', '192.0.2.1'],
  ['a stranger’s header is not believed', ['10.0.0.0/8'], '192.0.2.1', '198.51.100.7', '192.0.2.1'],
  ['behind a proxy, the address before it', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.7', '198.51.100.7'],
  [
    'what the client wrote itself is not believed',
    ['10.0.0.1'],
    '10.0.0.1',
    '1.2.3.4, 198.51.100.7',
    '198.51.100.7',
  ],
  ['through two proxies', ['10.0.0.0/8'], '10.0.0.1', '198.51.100.7, 10.0.0.2', '198.51.100.7'],
  ['a proxy that says nothing', ['10.0.0.0/8'], '10.0.0.1', undefined, '10.0.0.1'],
  ['a header that is no address', ['10.0.0.0/8'], '10.0.0.1', 'unknown', '10.0.0.1'],
  ['IPv6', ['::1', 'fd00::/8'], 'fd00::1', '2001:db8::1', '2001:db8::1'],
  ['a mapped address', ['127.0.0.1'], '::ffff:127.0.0.1', '198.51.100.7', '198.51.100.7'],
]

for (const [name, trusted, remote, header, expected] of cases) {
  test(name, () => assert.equal(createClientAddress(trusted)(remote, header), expected))
}
