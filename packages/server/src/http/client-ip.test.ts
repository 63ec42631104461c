import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { createTestClock } from '@gatehouse/testkit/clock'
import { type ClientIpResolver, createClientIpResolver } from './client-ip.ts'

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
    'a text that is not an IP address counts as a client of its own',
    ['10.0.0.0/8'],
    '10.0.0.1',
    '198.51.100.7, unknown',
    'unknown',
  ],
  ['the port of an IPv4 address is removed', ['10.0.0.1'], '10.0.0.1', '198.51.100.7:49152', '198.51.100.7'],
  [
    'the port and the brackets of an IPv6 address are removed',
    ['10.0.0.1'],
    '10.0.0.1',
    '[2001:db8::1]:49152',
    '2001:db8::1',
  ],
  ['brackets without a port are removed', ['10.0.0.1'], '10.0.0.1', '[2001:db8::1]', '2001:db8::1'],
  [
    'a proxy that a port follows is skipped',
    ['10.0.0.0/8', 'fd00::/8'],
    '10.0.0.1',
    '198.51.100.7:1, [fd00::1]:2, 10.0.0.2:3',
    '198.51.100.7',
  ],
  ['empty elements are ignored', ['10.0.0.1'], '10.0.0.1', '198.51.100.7, ,', '198.51.100.7'],
  ['an empty X-Forwarded-For counts as none', ['10.0.0.1'], '10.0.0.1', '', '10.0.0.1'],
  ['IPv6 proxies and clients', ['::1', 'fd00::/8'], 'fd00::1', '2001:db8::1', '2001:db8::1'],
  [
    'an IPv4-mapped IPv6 address matches an IPv4 proxy',
    ['127.0.0.1'],
    '::ffff:127.0.0.1',
    '198.51.100.7',
    '198.51.100.7',
  ],
]

function resolve(
  resolver: ClientIpResolver,
  remoteAddress: string,
  forwardedFor: string | undefined,
): string {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  return resolver({ socket: { remoteAddress }, headers } as IncomingMessage)
}

function createResolver(trustedProxies: readonly string[]) {
  const warnings: unknown[] = []
  const { timers, advance } = createTestClock()
  const logger = { warn: (...values: unknown[]) => void warnings.push(values) }
  return { resolver: createClientIpResolver(trustedProxies, { logger, timers }), warnings, advance }
}

for (const [name, trustedProxies, remote, header, expected] of cases) {
  test(name, () => assert.equal(resolve(createResolver(trustedProxies).resolver, remote, header), expected))
}

test('limits/client-address: a text that is not an IP address is logged once a minute for each proxy', () => {
  const { resolver, warnings, advance } = createResolver(['10.0.0.0/8'])
  const proxiesOf = () => warnings.map(values => (values as [{ proxy: string }])[0].proxy)
  for (const text of ['unknown', '_hidden', '198.51.100.7:port']) resolve(resolver, '10.0.0.1', text)
  assert.deepEqual(proxiesOf(), ['10.0.0.1'])
  resolve(resolver, '10.0.0.2', 'unknown')
  resolve(resolver, '10.0.0.1', '198.51.100.7:443')
  resolve(resolver, '192.0.2.1', 'unknown')
  assert.deepEqual(proxiesOf(), ['10.0.0.1', '10.0.0.2'])
  advance(60_000)
  resolve(resolver, '10.0.0.1', 'x'.repeat(10_000))
  assert.deepEqual(proxiesOf(), ['10.0.0.1', '10.0.0.2', '10.0.0.1'])
  assert.ok(JSON.stringify(warnings.at(-1)).length < 400)
})
