import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packPath } from '../../http/packed-path.ts'
import { parseReturnTo } from './return-to.ts'

const baseUrl = 'https://chat.example.org'

const accepted = [
  ['/', '/'],
  ['/invite/abc', '/invite/abc'],
  ['/oauth2/authorize?client_id=1&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=a%20b', undefined],
  ['/a?next=https://other.example/', undefined],
  ['/a?next=//other.example', undefined],
  ['/a#b', '/a#b'],
  ['/%2F%2Fother.example', undefined],
  ['/a/../b', '/b'],
  ['/@other.example', '/@other.example'],
  ['/:80', '/:80'],
  [packPath('/a?b=%D0%B0#c'), '/a?b=%D0%B0#c'],
] as const

for (const [raw, expected = raw] of accepted) {
  test(`accepts ${raw}`, () => {
    assert.equal(parseReturnTo(raw, baseUrl), expected)
  })
}

const rejected: unknown[] = [
  undefined,
  null,
  '',
  ['/a', '/b'],
  'https://other.example/',
  'https://chat.example.org/',
  '//other.example',
  '///other.example',
  '////other.example/..',
  '/\\other.example',
  '\\\\other.example',
  '\\/other.example',
  '/\t/other.example',
  '/\n/other.example',
  '/\r\n/other.example',
  '\t//other.example',
  ' //other.example',
  '/ /other.example',
  '/\u0000/other.example',
  '/a\r\nSet-Cookie: session=1',
  '/.//other.example',
  '/..//other.example',
  '/a/..//other.example',
  '/%2e//other.example',
  '/%2e%2e//other.example',
  '/a/.%2e//other.example',
  'javascript:alert(1)',
  'JavaScript:alert(1)//',
  'data:text/html,hi',
  'other.example',
  '@other.example',
  '.other.example',
  ':80',
  '?a=b',
  '#a',
  '/\ud800',
  `/${'a'.repeat(50_000)}`,
  packPath(`/${'a'.repeat(50_000)}`),
  packPath('//other.example'),
  packPath('/\\other.example'),
  packPath('https://chat.example.org/'),
  packPath('other.example'),
  packPath(''),
]

for (const raw of rejected) {
  test(`rejects ${JSON.stringify(raw)?.slice(0, 60)}`, () => {
    assert.equal(parseReturnTo(raw, baseUrl), undefined)
  })
}
