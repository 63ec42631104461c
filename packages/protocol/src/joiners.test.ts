import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkCommands } from './commands.ts'
import { removeUselessJoiners, withoutJoiners } from './joiners.ts'
import { cleanLines, cleanName } from './text.ts'

const joiner = fc.constantFrom('\u200c', '\u200d')

/**
 * Letters of joining scripts, right-joining ones, letters and signs of Indian scripts, emoji, and characters that join
 * nothing.
 */
const partOfName = fc.constantFrom(
  ...[
    '\u06cc',
    '\u0644',
    '\u0631',
    '\u0627',
    '\u0621',
    '\u0640',
    '\u064e',
    '\u0dc1',
    '\u0dca',
    '\u0dbb',
    '\u0915',
  ],
  ...[
    '\u094d',
    '\u09b0',
    '\u09cd',
    '\u09af',
    '👩',
    '\u{1f3fd}',
    '❤',
    '\ufe0f',
    '💻',
    'a',
    'я',
    '李',
    '1',
    ' ',
    '.',
  ],
)
const name = fc.array(fc.oneof(partOfName, joiner)).map(parts => parts.join(''))

test('community/joiners: joiners stay where they change how letters or emoji look', () => {
  const names = [
    'علی‌رضا',
    'می‌رَوَم',
    'خانه‌ی ما',
    'هێزی‌پێشمەرگە',
    'ශ්‍රී ලංකා',
    'ක්‍රිකට්',
    'क्‍षत्रिय',
    'दऱ्‍या',
    'ರ‍್ಕ',
    'র‍্যাম',
    'অন্‌লাইন',
    'അവന്‍',
    'க்‌ஷ',
    '👩‍💻',
    '👩🏽‍💻',
    '🏳️‍🌈',
    '🏳‍🌈',
    '❤️‍🔥',
    '👨‍👩‍👧‍👦 family',
    '🧑🏿‍🤝‍🧑🏻',
    '🏴‍☠️',
  ]
  for (const name of names) {
    assert.equal(cleanName(name), name, JSON.stringify(name))
    assert.equal(cleanLines(`${name}\n${name}`), `${name}\n${name}`)
  }
})

test('community/joiners: joiners that change nothing are removed', () => {
  for (const [name, clean] of [
    ['a\u200cb\u200dc', 'abc'],
    ['Ann\u200d', 'Ann'],
    ['\u200cAnn', 'Ann'],
    ['a\u200d👩', 'a👩'],
    ['👩\u200da', '👩a'],
    ['👩\u200d', '👩'],
    ['👩\u200c💻', '👩💻'],
    // After a letter that joins no following one, and before one that joins none.
    ['ر\u200cر', 'رر'],
    ['ی\u200ca', 'یa'],
    ['ی\u200dر', 'یر'],
    ['علی\u200c', 'علی'],
    ['علی\u200c رضا', 'علی رضا'],
    ['علی\u200c\u200c\u200cرضا', 'علی\u200cرضا'],
    ['علی\u200b\u200cرضا', 'علی\u200cرضا'],
    ['علی\u200c\u200dرضا', 'علیرضا'],
    ['क\u200dक', 'कक'],
    ['\u094d\u200d', '\u094d'],
    ['1\u200d1', '11'],
  ] as const) {
    assert.equal(cleanName(name), clean, JSON.stringify(name))
  }
})

test('community/joiners: no joiner stays in a name whose characters join nothing', () => {
  const plain = fc.stringMatching(/^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Han}\p{N}\p{P}]*$/u)
  fc.assert(
    fc.property(fc.array(fc.oneof(plain, joiner)), parts => {
      const text = parts.join('')
      assert.equal(removeUselessJoiners(text), withoutJoiners(text))
    }),
  )
})

test('community/joiners: only joiners are removed, and a cleaned name does not change again', () => {
  fc.assert(
    fc.property(name, text => {
      const cleaned = removeUselessJoiners(text)
      assert.equal(withoutJoiners(cleaned), withoutJoiners(text))
      assert.equal(removeUselessJoiners(cleaned), cleaned)
    }),
    { numRuns: 2000 },
  )
})

test('community/joiners: a kept joiner follows a letter that joins, a virama or an emoji', () => {
  fc.assert(
    fc.property(name, text => {
      assert.doesNotMatch(removeUselessJoiners(text), /(?:^|[\p{ASCII}\p{Ll}\u200c\u200d])[\u200c\u200d]/u)
    }),
    { numRuns: 2000 },
  )
})

test('community/joiners: names that must be unique do not differ by joiners only', () => {
  const { violations } = checkCommands([
    { type: 'user', name: '👩\u200d💻' },
    { type: 'user', name: '👩💻' },
  ])
  assert.deepEqual(
    violations.map(({ path, code }) => [path, code]),
    [[[1, 'name'], 'duplicate']],
  )
})

test('removeUselessJoiners needs linear time for a body of maximum size', () => {
  const started = performance.now()
  for (const text of ['\u200d', 'ی\u200d', '\u064e', 'ی\u064e\u200c', '👩\ufe0f\u200d', '\ufe0f']) {
    removeUselessJoiners(text.repeat(100_000))
  }
  assert.ok(performance.now() - started < 5000)
})
