import assert from 'node:assert/strict'
import test from 'node:test'
import { hasMarkdown, safeHref, safeImage, tokenize } from './tokens.ts'

test('links of other schemes, in any spelling, are none', () => {
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

test('pictures are https or of the service', () => {
  assert.equal(safeImage('https://a.example/b.png'), 'https://a.example/b.png')
  assert.equal(safeImage('/images/1.png'), '/images/1.png')
  for (const address of [
    'http://a.example/b.png',
    '//a.example/b',
    '/\\a.example',
    'data:image/svg+xml,x',
    'x.png',
  ]) {
    assert.equal(safeImage(address), undefined, address)
  }
})

test('a bare link ends before the punctuation of its sentence', () => {
  const links = (text: string) =>
    tokenize(text, false).flatMap(token => (token.kind === 'link' ? [token.href] : []))
  assert.deepEqual(links('see https://a.example/x.'), ['https://a.example/x'])
  assert.deepEqual(links('(https://a.example/x)'), ['https://a.example/x'])
  assert.deepEqual(links('https://a.example/x_(y)'), ['https://a.example/x_(y)'])
  assert.deepEqual(links('a https://a.example, http://b.example!'), [
    'https://a.example/',
    'http://b.example/',
  ])
})

test('nothing of the text is lost', () => {
  const text = 'a https://x.example/. <@123456789012345678> @everyone\nb <@12> http:// https://[bad'
  const written = tokenize(text, false)
    .map(token => {
      if (token.kind === 'text') return token.text
      if (token.kind === 'break') return '\n'
      return token.kind === 'link' ? token.href : `<@${'id' in token ? token.id : ''}>`
    })
    .join('')
  assert.equal(written, text)
})

test('mentions are found by their marks', () => {
  const id = '123456789012345678'
  assert.deepEqual(tokenize(`<@${id}><@!${id}><@&${id}><#${id}>`, false), [
    { kind: 'user', id },
    { kind: 'user', id },
    { kind: 'role', id },
    { kind: 'channel', id },
  ])
})

test('@everyone is marked only where the message notified everyone', () => {
  assert.deepEqual(tokenize('@everyone', false), [{ kind: 'text', text: '@everyone' }])
  assert.deepEqual(tokenize('@everyone', true), [{ kind: 'everyone', text: '@everyone' }])
  assert.deepEqual(tokenize('me@here.example', true), [{ kind: 'text', text: 'me@here.example' }])
})

test('plain text needs no Markdown, and what needs it is told', () => {
  for (const text of [
    'hello',
    'a\nb',
    'see https://a.example/b_c_d',
    'hi <@123456789012345678>!',
    '1.5 + 2',
    'a - b',
  ]) {
    assert.equal(hasMarkdown(text), false, text)
  }
  for (const text of [
    '**b**',
    '_i_',
    '`c`',
    '> q',
    '- l',
    '1. l',
    '# h',
    '[a](b)',
    '~~s~~',
    'a\n* b',
    '<b>',
    '&amp;',
  ]) {
    assert.equal(hasMarkdown(text), true, text)
  }
})

test('moments and the names of emoji are found, what only looks like one is text', () => {
  assert.deepEqual(tokenize('down <t:1768478370:F>, <t:-1:R> <t:1>', false), [
    { kind: 'text', text: 'down ' },
    { kind: 'moment', moment: '1768478370:F' },
    { kind: 'text', text: ', ' },
    { kind: 'moment', moment: '-1:R' },
    { kind: 'text', text: ' ' },
    { kind: 'moment', moment: '1' },
  ])
  assert.deepEqual(tokenize('<:ok:123456789012345678><a:go_1:123456789012345678>', false), [
    { kind: 'text', text: ':ok:' },
    { kind: 'text', text: ':go_1:' },
  ])
  for (const text of ['<t:x>', '<t:1:Z>', '<t:9999999999999:F>', '<:ok:1>'])
    assert.deepEqual(tokenize(text, false), [{ kind: 'text', text }])
  assert.equal(hasMarkdown('<t:1768478370:F>'), false)
})
