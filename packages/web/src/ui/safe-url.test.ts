import assert from 'node:assert/strict'
import test from 'node:test'
import { linkTarget, looksLikeUrl, safeHref, showsUrl } from './safe-url.ts'

test('safeHref rejects other schemes in any spelling', () => {
  for (const address of [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'java\tscript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'vbscript:x',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:https://a/b',
    '/relative',
    '//other.example',
    'not a link',
    '',
  ]) {
    assert.equal(safeHref(address), undefined, JSON.stringify(address))
  }
  assert.equal(safeHref('http://host:8000/x'), 'http://host:8000/x')
  assert.equal(safeHref('mailto:a@b.example'), 'mailto:a@b.example')
})

test('the text of a link shows its URL with or without the scheme (community/masked-links)', () => {
  for (const [text, href] of [
    ['https://bank.example/', 'https://bank.example/'],
    ['https://bank.example', 'https://bank.example/'],
    ['HTTPS://Bank.Example', 'https://bank.example/'],
    [' bank.example/a?b#c ', 'https://bank.example/a?b#c'],
    ['bank.example', 'http://bank.example/'],
    ['bank.example:8443/a', 'https://bank.example:8443/a'],
    ['https://ru.wikipedia.org/wiki/Россия', safeHref('https://ru.wikipedia.org/wiki/Россия') ?? ''],
    ['ann@mail.example', 'mailto:ann@mail.example'],
    ['mailto:ann@mail.example', 'mailto:ann@mail.example'],
  ] as const) {
    assert.equal(showsUrl(text, href), true, text)
  }
})

test('the text of a link does not show its URL if it can mislead (community/masked-links)', () => {
  for (const [text, href] of [
    ['bank.example', 'https://evil.example/'],
    ['https://bank.example/', 'https://evil.example/'],
    ['https://bank.example/', 'https://bank.example.evil.example/'],
    ['https://bank.example/a', 'https://bank.example/b'],
    ['https://bank.example/', 'http://bank.example/'],
    ['Sign in', 'https://bank.example/'],
    ['', 'https://bank.example/'],
    // The host is not the text before the `@`.
    ['https://bank.example@evil.example/', 'https://bank.example@evil.example/'],
    // Cyrillic а in the host: the URL has the host xn--bnk-7cd.example.
    ['https://bаnk.example/', safeHref('https://bаnk.example/') ?? ''],
    // RIGHT-TO-LEFT OVERRIDE and ZERO WIDTH SPACE.
    ['https://evil.example/\u202eknab', safeHref('https://evil.example/\u202eknab') ?? ''],
    ['https://ev\u200bil.example/', 'https://evil.example/'],
    ['ann@bank.example', 'mailto:eve@evil.example'],
  ] as const) {
    assert.equal(showsUrl(text, href), false, `${text} ${href}`)
  }
})

test('text that may be taken for an address looks like a URL (community/masked-links)', () => {
  for (const text of [
    'bank.example',
    'see bank.example/a',
    'https://intranet',
    'bank․example',
    'bank。example',
    'b\u00adank.\u200bexample',
    'банк.рф',
    '192.168.0.1',
    'localhost:80',
    'ann@bank.example',
    '',
  ])
    assert.equal(looksLikeUrl(text), true, text)
  for (const text of [
    'Sign in',
    'Build 42',
    'v1.2.3',
    'Well. Now',
    'и т. д.',
    '1.5',
    'a/b',
    '#12',
    'e.g. this',
  ])
    assert.equal(looksLikeUrl(text), false, text)
})

test('the target of a link is its host in ASCII, or the address of a mail (community/masked-links)', () => {
  assert.equal(linkTarget('https://evil.example:8443/a'), 'evil.example:8443')
  assert.equal(linkTarget('https://bank.example@evil.example/'), 'evil.example')
  assert.match(linkTarget('https://bаnk.example/'), /^xn--/)
  assert.equal(linkTarget('mailto:eve@evil.example'), 'eve@evil.example')
})
