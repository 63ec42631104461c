import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkContent, cleanName, codePoints, isBlank, isLonger, isSound, Text } from './text.ts'

test('codePoints counts what iteration counts, lone surrogates too', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      const text = `${a}\ud83d${b}\ude00`
      assert.equal(codePoints(text), [...text].length)
    }),
  )
})

test('isLonger agrees with counting', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.nat(40), (text, max) => {
      assert.equal(isLonger(text, max), [...text].length > max)
    }),
  )
})

test('check 30: U+0000 and lone surrogates are not sound, pairs are', () => {
  for (const text of ['\u0000', 'a\u0000b', '\ud800', 'a\udc00', '\udc00\ud800'])
    assert.equal(isSound(text), false)
  for (const text of ['', 'text', '😀', '\u0001']) assert.equal(isSound(text), true)
  assert.deepEqual(
    ['a\u0000', '\ud800'].map(text => checkContent(text).faults[0]?.rule),
    ['invalid_text', 'invalid_text'],
  )
})

test('check 31: content has up to 2000 code points, 4000 units of emoji included', () => {
  assert.equal(checkContent('x'.repeat(2000)).faults.length, 0)
  assert.equal(checkContent('😀'.repeat(2000)).content.length, 4000)
  for (const text of ['x'.repeat(2001), '😀'.repeat(2001), `${'x'.repeat(2000)}😀`]) {
    const { content, faults } = checkContent(text)
    assert.equal(content, '')
    assert.deepEqual(faults, [
      { path: ['content'], rule: 'too_long', message: 'must have at most 2000 characters', limit: 2000 },
    ])
  }
})

test('check 32: content that shows nothing is empty, and so are null and absent', () => {
  const nothing = [
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
  for (const text of nothing) {
    assert.deepEqual(checkContent(text), { content: '', faults: [] }, JSON.stringify(text))
  }
  assert.deepEqual(checkContent(null), { content: '', faults: [] })
  assert.deepEqual(checkContent(undefined), { content: '', faults: [] })
  for (const text of ['.', 'a\u200b', '❤️', '0']) assert.equal(isBlank(text), false)
})

test('check 35: content is trimmed before it is counted', () => {
  assert.equal(checkContent(`  ${'x'.repeat(2000)}${' '.repeat(20)}`).content, 'x'.repeat(2000))
})

test('content that is no text is refused', () => {
  for (const value of [5, true, {}, [], ['text']]) {
    assert.deepEqual(
      checkContent(value).faults.map(fault => fault.rule),
      ['invalid_type'],
    )
  }
})

test('content takes the bound that it is given', () => {
  assert.equal(checkContent('xxxx', 3).faults[0]?.limit, 3)
  assert.equal(checkContent('xxx', 3).content, 'xxx')
})

test('check 10: marks that hide or turn text around are stripped from a name', () => {
  assert.equal(cleanName('\u202eevil\u202c'), 'evil')
  assert.equal(cleanName('a\u200bb\nc\u2066d\u0000e\ufefff\u200d'), 'abcdef')
  assert.equal(cleanName(' \u200b '), '')
  assert.equal(cleanName('Zoë Ünal 李'), 'Zoë Ünal 李')
})

test('a joined emoji in a name stays whole', () => {
  assert.equal(cleanName('👩‍👧 family'), '👩‍👧 family')
})

test('Text is a plain JSON Schema with the keyword that the validator knows', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(Text({ min: 1, max: 5, description: 'd' }))), {
    type: 'string',
    text: true,
    minLength: 1,
    maxLength: 5,
    description: 'd',
  })
  assert.deepEqual(JSON.parse(JSON.stringify(Text({ pattern: '^a$', trim: 'keep' }))), {
    type: 'string',
    text: 'keep',
    pattern: '^a$',
  })
})
