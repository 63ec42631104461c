import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isValidHost } from './host.ts'

const isValidInUrl = (host: string) => isValidHost(new URL(`https://${host}/`).hostname)

test('domain names and IP literals are valid hosts', () => {
  for (const host of [
    ...[
      'example',
      'app.example',
      'app.example.',
      'a-b.c',
      '1a.example',
      'xn--exmple-cua.example',
      'exämple.example',
    ],
    ...['127.0.0.1', '2130706433', '[::1]', '[2001:db8::1]', `${'a'.repeat(63)}.example`],
    ['a'.repeat(63), 'a'.repeat(63), 'a'.repeat(63), 'a'.repeat(61)].join('.'),
  ]) {
    assert.equal(isValidInUrl(host), true, host)
  }
})

test('a host that RFC 1123 does not allow is invalid, also if the URL parser accepts it', () => {
  for (const host of [
    ...[
      'x;sandbox;y.example',
      "a'b.example",
      'a,b.example',
      'a_b.example',
      'a*.example',
      '*.example',
      'a!b.example',
    ],
    ...['-a.example', 'a-.example', 'a..example', '.example', 'a.example..', `${'a'.repeat(64)}.example`],
    ...[
      'a$b.example',
      'a&b.example',
      'a=b.example',
      'a(b).example',
      'a"b.example',
      'a~b.example',
      'a+b.example',
    ],
    ['a'.repeat(63), 'a'.repeat(63), 'a'.repeat(63), 'a'.repeat(62)].join('.'),
  ]) {
    assert.equal(isValidInUrl(host), false, host)
  }
  assert.equal(isValidHost(''), false)
})
