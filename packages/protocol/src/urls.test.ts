import assert from 'node:assert/strict'
import { test } from 'node:test'
import { urlReasons } from './field-errors.ts'
import { checkUrl, findUrlViolation } from './urls.ts'

test('webhooks/url-schemes: a scheme other than http and https is rejected in every spelling', () => {
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
    const { url, violations } = checkUrl(text, 'avatar_url')
    assert.equal(url, undefined)
    assert.deepEqual(violations, [
      {
        path: ['avatar_url'],
        code: 'invalid_url',
        message: 'must start with http:// or https://',
        reason: 'scheme',
        scheme,
      },
    ])
  }
})

test('webhooks/url-host: a host without a dot is accepted', () => {
  for (const text of ['http://host:8000/x', 'https://localhost', 'HTTPS://Example.COM/ä', 'http://[::1]/x']) {
    assert.deepEqual(checkUrl(text, 'url'), { url: text, violations: [] })
  }
})

test('webhooks/url-empty: an empty URL is absent, and so are null and undefined', () => {
  for (const value of ['', '  ', null, undefined]) {
    assert.deepEqual(checkUrl(value, 'url'), { url: undefined, violations: [] })
  }
})

test('a value that is not an absolute URL is rejected', () => {
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
    assert.equal(findUrlViolation(text)?.code, 'invalid_url', text)
  }
})

test('a rejected URL has a reason', () => {
  for (const [text, reason] of [
    ['example.com/a.png', 'scheme'],
    ['https:host/x', 'scheme'],
    ['mailto:a@b.example', 'scheme'],
    ['https://', 'host'],
    ['https://a b.example/', 'host'],
    ['https://[::g]/', 'host'],
    ['https://a.example:99999/', 'port'],
    ['https://a\tb.example', 'control_characters'],
  ] as const) {
    const violation = findUrlViolation(text)
    assert.deepEqual([violation?.reason, violation?.message], [reason, urlReasons[reason]], text)
  }
})

test('a URL is trimmed and otherwise returned unchanged', () => {
  assert.equal(checkUrl(' https://Host.example?a=b c ', 'url').url, 'https://Host.example?a=b c')
})

test('a URL has up to 2048 characters or the given maximum', () => {
  const of = (length: number) => `https://h/${'x'.repeat(length - 10)}`
  assert.equal(findUrlViolation(of(2048)), undefined)
  assert.deepEqual(findUrlViolation(of(2049)), {
    code: 'too_long',
    message: 'must have at most 2048 characters',
    max: 2048,
  })
  assert.equal(findUrlViolation(of(512), 512), undefined)
  assert.equal(findUrlViolation(of(513), 512)?.max, 512)
})

test('a URL that is not a string or contains invalid characters is rejected', () => {
  assert.equal(checkUrl(5, 'url').violations[0]?.code, 'invalid_type')
  assert.equal(findUrlViolation('https://h/\u0000')?.code, 'invalid_text')
  assert.equal(findUrlViolation('https://h/\ud800')?.code, 'invalid_text')
})
