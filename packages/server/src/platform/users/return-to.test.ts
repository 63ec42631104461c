import assert from 'node:assert/strict'
import { test } from 'node:test'
import { returnTo } from './return-to.ts'

const baseUrl = 'https://chat.example.org'

const own = [
  ['/', '/'],
  ['/invite/abc', '/invite/abc'],
  ['/oauth2/authorize?client_id=1&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=a%20b', undefined],
  ['/a?next=https://elsewhere.example/', undefined],
  ['/a?next=//elsewhere.example', undefined],
  ['/a#b', '/a#b'],
  ['/%2F%2Felsewhere.example', undefined],
  ['/a/../b', '/b'],
  ['/@elsewhere.example', '/@elsewhere.example'],
  ['/:80', '/:80'],
] as const

for (const [raw, expected = raw] of own) {
  test(`a person may return to ${raw}`, () => {
    assert.equal(returnTo(raw, baseUrl), expected)
  })
}

const hostile: unknown[] = [
  undefined,
  null,
  '',
  ['/a', '/b'],
  'https://elsewhere.example/',
  'https://chat.example.org/',
  '//elsewhere.example',
  '///elsewhere.example',
  '////elsewhere.example/..',
  '/\\elsewhere.example',
  '\\\\elsewhere.example',
  '\\/elsewhere.example',
  '/\t/elsewhere.example',
  '/\n/elsewhere.example',
  '/\r\n/elsewhere.example',
  '\t//elsewhere.example',
  ' //elsewhere.example',
  '/ /elsewhere.example',
  '/\u0000/elsewhere.example',
  '/a\r\nSet-Cookie: session=1',
  '/.//elsewhere.example',
  '/..//elsewhere.example',
  '/a/..//elsewhere.example',
  '/%2e//elsewhere.example',
  '/%2e%2e//elsewhere.example',
  '/a/.%2e//elsewhere.example',
  'javascript:alert(1)',
  'JavaScript:alert(1)//',
  'data:text/html,hi',
  'elsewhere.example',
  '@elsewhere.example',
  '.elsewhere.example',
  ':80',
  '?a=b',
  '#a',
  '/\ud800',
  `/${'a'.repeat(9000)}`,
]

for (const raw of hostile) {
  test(`nobody is sent to ${JSON.stringify(raw)?.slice(0, 60)}`, () => {
    assert.equal(returnTo(raw, baseUrl), undefined)
  })
}
