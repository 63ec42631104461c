import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  checkContent,
  checkText,
  cleaners,
  cleanLines,
  cleanName,
  codePoints,
  cutText,
  firstCluster,
  isBlank,
  isLonger,
  isValidText,
} from './text.ts'

test('codePoints counts code points and lone surrogates, like string iteration', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      const text = `${a}\ud83d${b}\ude00`
      assert.equal(codePoints(text), [...text].length)
    }),
  )
})

test('isLonger agrees with codePoints', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.nat(40), (text, max) => {
      assert.equal(isLonger(text, max), [...text].length > max)
    }),
  )
})

test('webhooks/text-characters: U+0000 and lone surrogates are invalid, surrogate pairs are valid', () => {
  for (const text of ['\u0000', 'a\u0000b', '\ud800', 'a\udc00', '\udc00\ud800'])
    assert.equal(isValidText(text), false)
  for (const text of ['', 'text', '😀', '\u0001']) assert.equal(isValidText(text), true)
  assert.deepEqual(
    ['a\u0000', '\ud800'].map(text => checkContent(text).violations[0]?.code),
    ['invalid_text', 'invalid_text'],
  )
})

test('webhooks/content-length: content has up to 2000 code points, even if they are 4000 UTF-16 code units', () => {
  assert.equal(checkContent('x'.repeat(2000)).violations.length, 0)
  assert.equal(checkContent('😀'.repeat(2000)).content.length, 4000)
  for (const text of ['x'.repeat(2001), '😀'.repeat(2001), `${'x'.repeat(2000)}😀`]) {
    const { content, violations } = checkContent(text)
    assert.equal(content, '')
    assert.deepEqual(violations, [
      { path: ['content'], code: 'too_long', message: 'must have at most 2000 characters', max: 2000 },
    ])
  }
})

test('checkText checks the type and the characters, then cleans the text, then checks its length', () => {
  const codes = (value: unknown, clean?: (text: string) => string) => {
    const { text, violation } = checkText(value, 3, clean)
    return [text, violation?.code]
  }
  assert.deepEqual(codes(undefined), [undefined, 'invalid_type'])
  assert.deepEqual(codes('abcd\u0000'), [undefined, 'invalid_text'])
  assert.deepEqual(codes(' abc '), ['abc', undefined])
  assert.deepEqual(codes(' abc ', cleaners.keep), [' abc ', 'too_long'])
  assert.deepEqual(codes('\u202eabc\u202c', cleaners.name), ['abc', undefined])
  assert.deepEqual(codes('😀😀😀'), ['😀😀😀', undefined])
  assert.deepEqual(codes('abcd'), ['abcd', 'too_long'])
})

test('webhooks/empty-message: invisible, null and absent content is empty', () => {
  const emptyTexts = [
    '',
    ' ',
    '\n\t ',
    '\u200b',
    '\u200b \u200d\ufeff',
    '\u2060',
    '\u00ad',
    '\u3164',
    '\ufe0f',
    '\u0007',
  ]
  for (const text of emptyTexts) {
    assert.deepEqual(checkContent(text), { content: '', violations: [] }, JSON.stringify(text))
  }
  assert.deepEqual(checkContent(null), { content: '', violations: [] })
  assert.deepEqual(checkContent(undefined), { content: '', violations: [] })
  for (const text of ['.', 'a\u200b', '❤️', '0']) assert.equal(isBlank(text), false)
})

test('webhooks/trim-before-length: content is trimmed before it is counted', () => {
  assert.equal(checkContent(`  ${'x'.repeat(2000)}${' '.repeat(20)}`).content, 'x'.repeat(2000))
})

test('content that is not a string is rejected', () => {
  for (const value of [5, true, {}, [], ['text']]) {
    assert.deepEqual(
      checkContent(value).violations.map(violation => violation.code),
      ['invalid_type'],
    )
  }
})

test('content has the given maximum length', () => {
  assert.equal(checkContent('xxxx', 3).violations[0]?.max, 3)
  assert.equal(checkContent('xxx', 3).content, 'xxx')
})

test('webhooks/username: invisible characters and bidirectional controls are removed from a name', () => {
  assert.equal(cleanName('\u202eevil\u202c'), 'evil')
  assert.equal(cleanName('a\u200bb\nc\u2066d\u0000e\ufefff\u200d'), 'abcdef')
  assert.equal(cleanName(' \u200b '), '')
  assert.equal(cleanName('Zoë Ünal 李'), 'Zoë Ünal 李')
})

test('an emoji ZWJ sequence in a name is not changed', () => {
  assert.equal(cleanName('👩‍👧 family'), '👩‍👧 family')
})

test('a name of only invisible characters is empty', () => {
  for (const name of ['\u3164', '\u2800 \u2800', '\u034f', '\u{e0061}', '\ufe0f']) {
    assert.equal(cleanName(name), '', JSON.stringify(name))
  }
})

test('multi-line text has at most two consecutive line breaks', () => {
  assert.equal(cleanLines(' a\r\nb\rc\u2028d\u2029e\u0085f '), 'a\nb\nc\nd\ne\nf')
  assert.equal(cleanLines('a \n\u200b\n\n\n\tb'), 'a\n\n b')
  assert.equal(cleanLines('\u202ea\u202c\u0007'), 'a')
  assert.equal(cleanLines('\n\u200b\n'), '')
})

test('cuts a text between grapheme clusters, and is never longer than the limit (limits/whole-clusters)', () => {
  const family = '👨‍👩‍👧‍👦'
  for (const [text, max, cut] of [
    ['abc', 3, 'abc'],
    ['abc', 2, 'ab'],
    [`a${family}b`, 3, 'a'],
    [`a${family}b`, 8, `a${family}`],
    ['🇩🇪🇫🇷', 3, '🇩🇪'],
    ['a❤️b', 2, 'a'],
    ['e\u0301e\u0301', 3, 'e\u0301'],
    [`a${'\u0301'.repeat(9)}`, 3, 'a\u0301\u0301'],
    [`${'👍'.repeat(4)}`, 2, '👍👍'],
  ] as const)
    assert.equal(cutText(text, max), cut, `${text} ${max}`)
  assert.deepEqual([family, '🇩🇪 a', '❤️ a', ''].map(firstCluster), [family, '🇩🇪', '❤️', ''])
})
