import assert from 'node:assert/strict'
import test from 'node:test'
import { hasMarkdown, tokenize, urlLength } from './tokens.ts'

const links = (text: string) =>
  tokenize(text, false).flatMap(token => (token.kind === 'link' ? [token.href] : []))

test('a link ends before the punctuation of its sentence', () => {
  assert.deepEqual(links('see https://a.example/x.'), ['https://a.example/x'])
  assert.deepEqual(links('(https://a.example/x)'), ['https://a.example/x'])
  assert.deepEqual(links('https://a.example/x_(y)'), ['https://a.example/x_(y)'])
  assert.deepEqual(links('a https://a.example, http://b.example!'), [
    'https://a.example/',
    'http://b.example/',
  ])
})

test('a link ends before punctuation of every script, and not at an apostrophe (community/links)', () => {
  for (const url of [
    'http://shop.example/',
    'https://a.example/a',
    "https://a.example/Schrödinger's_cat",
    'https://a.example/佐々木・太郎/ー',
    'https://a.example/it’s/new',
    'https://a.example/x_(y)',
    'https://пример.example/%D0%B0?b=c#d',
  ]) {
    for (const [before, after] of [
      ['（', '）'],
      ['', '、次は'],
      ['', '。'],
      ['「', '」と'],
      ['', '，还有'],
      ['', '！'],
      ['', '：a'],
      ['“', '” b'],
      ['„', '“'],
      ['«', '»'],
      ['‘', '’ b'],
      ["'", "' b"],
      ["('", "')"],
      ['', '؟'],
      ['', '،'],
      ['', '।'],
      ['', '…'],
      ['|', '| b'],
    ])
      assert.deepEqual(links(before + url + after), [new URL(url).href], before + url + after)
    assert.equal(urlLength(`${url}）`), url.length)
  }
})

test('in Markdown, a URL ends before the markup of the text around it', () => {
  for (const url of [
    'https://a.example/_b_/*c*/d',
    'http://a.example/**/b/**/c',
    'https://a.example/x_(y)',
  ]) {
    for (const after of ['', ' b', '**', '**b', ')', '](https://b.example)', '\\_', '.*', '`b`', '<'])
      assert.equal(urlLength(url + after), url.length, url + after)
  }
  for (const text of ['', 'h', 'http:/', 'a https://a.example', 'https://**b**'])
    assert.equal(urlLength(text), 0)
})

test('the tokens contain the whole text', () => {
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

test('a URL is shown as it was typed, unless its host may look like another (community/text-as-typed)', () => {
  const shown = (text: string) =>
    tokenize(text, false).map(token => (token.kind === 'link' ? token.text : assert.fail()))
  for (const typed of [
    'http://a.example',
    'https://A.Example/b',
    'http://a.example:80/x?q=ä',
    'https://a.example/%7e',
    'https://a.example/b/../c',
  ]) {
    assert.deepEqual(shown(typed), [typed])
  }
  assert.deepEqual(shown('https://аррle.example/x'), ['https://xn--le-6kc8da.example/x'])
  assert.deepEqual(shown('https://a.example@b.example'), ['https://a.example@b.example/'])
})

test('finds mentions of users, roles and channels', () => {
  const id = '123456789012345678'
  assert.deepEqual(tokenize(`<@${id}><@!${id}><@&${id}><#${id}>`, false), [
    { kind: 'user', id },
    { kind: 'user', id },
    { kind: 'role', id },
    { kind: 'channel', id },
  ])
})

test('@everyone is a mention only if the message notified everyone', () => {
  assert.deepEqual(tokenize('@everyone', false), [{ kind: 'text', text: '@everyone' }])
  assert.deepEqual(tokenize('@everyone', true), [{ kind: 'everyone', text: '@everyone' }])
  assert.deepEqual(tokenize('me@here.example', true), [{ kind: 'text', text: 'me@here.example' }])
})

test('detects text that may contain Markdown', () => {
  for (const text of [
    'hello',
    'a\nb',
    'see https://a.example/b_c_d',
    'hi <@123456789012345678>!',
    '1.5 + 2',
    'a - b',
    '&amp;',
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
  ]) {
    assert.equal(hasMarkdown(text), true, text)
  }
})

test('finds timestamps and names of emoji, and ignores invalid ones', () => {
  assert.deepEqual(tokenize('down <t:1768478370:F>, <t:-1:R> <t:1>', false), [
    { kind: 'text', text: 'down ' },
    { kind: 'timestamp', value: '1768478370:F' },
    { kind: 'text', text: ', ' },
    { kind: 'timestamp', value: '-1:R' },
    { kind: 'text', text: ' ' },
    { kind: 'timestamp', value: '1' },
  ])
  assert.deepEqual(tokenize('<:ok:123456789012345678><a:go_1:123456789012345678>', false), [
    { kind: 'text', text: ':ok:' },
    { kind: 'text', text: ':go_1:' },
  ])
  for (const text of ['<t:x>', '<t:1:Z>', '<t:9999999999999:F>', '<:ok:1>'])
    assert.deepEqual(tokenize(text, false), [{ kind: 'text', text }])
  assert.equal(hasMarkdown('<t:1768478370:F>'), false)
})
