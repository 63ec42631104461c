import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkUrl, urlFault } from './urls.ts'

test('check 14: a scheme other than http and https is refused however it is written', () => {
  const bad = [
    ['javascript:alert(1)', 'javascript'],
    ['JavaScript:alert(1)', 'javascript'],
    ['java\tscript:alert(1)', 'javascript'],
    [' javascript:alert(1)', 'javascript'],
    ['vbscript:x', 'vbscript'],
    ['data:text/html,x', 'data'],
    ['file:///etc/passwd', 'file'],
    ['attachment://x.png', 'attachment'],
    ['ftp://host/x', 'ftp'],
  ] as const
  for (const [text, scheme] of bad) {
    const { url, faults } = checkUrl(text, 'avatar_url')
    assert.equal(url, undefined)
    assert.deepEqual(faults, [
      { path: ['avatar_url'], rule: 'invalid_url', message: 'must begin with http:// or https://', scheme },
    ])
  }
})

test('check 15: a host without a dot is a host', () => {
  for (const text of ['http://host:8000/x', 'https://localhost', 'HTTPS://Example.COM/ä', 'http://[::1]/x']) {
    assert.deepEqual(checkUrl(text, 'url'), { url: text, faults: [] })
  }
})

test('check 16: an empty URL is absent, and so are null and undefined', () => {
  for (const value of ['', '  ', null, undefined]) {
    assert.deepEqual(checkUrl(value, 'url'), { url: undefined, faults: [] })
  }
})

test('what is no whole URL is refused', () => {
  const bad = [
    'example.com',
    '/x',
    '//host/x',
    'http://',
    'https:host/x',
    'https:\\\\host',
    'https://a\tb.example',
    'x y',
  ]
  for (const text of bad) {
    assert.equal(urlFault(text)?.rule, 'invalid_url', text)
  }
})

test('a URL is trimmed, and otherwise kept as it was written', () => {
  assert.equal(checkUrl(' https://Host.example?a=b c ', 'url').url, 'https://Host.example?a=b c')
})

test('a URL has up to 2048 characters, or as many as it is given', () => {
  const of = (length: number) => `https://h/${'x'.repeat(length - 10)}`
  assert.equal(urlFault(of(2048)), undefined)
  assert.deepEqual(urlFault(of(2049)), {
    rule: 'too_long',
    message: 'must have at most 2048 characters',
    limit: 2048,
  })
  assert.equal(urlFault(of(512), 512), undefined)
  assert.equal(urlFault(of(513), 512)?.limit, 512)
})

test('a URL that is no text, or unsound text, is refused', () => {
  assert.equal(checkUrl(5, 'url').faults[0]?.rule, 'invalid_type')
  assert.equal(urlFault('https://h/\u0000')?.rule, 'invalid_text')
  assert.equal(urlFault('https://h/\ud800')?.rule, 'invalid_text')
})
