import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compilePattern, customId } from './custom-ids.ts'

test('a pattern matches customIds and returns their parameters', () => {
  const match = compilePattern('vote:{poll}:{choice}')
  assert.deepEqual(match('vote:7:tea'), { poll: '7', choice: 'tea' })
  assert.equal(match('vote:7'), undefined)
  assert.equal(match('vote:7:'), undefined)
  assert.equal(match('vote:7:tea:x'), undefined)
  assert.equal(match('revote:7:tea'), undefined)
})

test('escapes the special characters of regular expressions in a pattern', () => {
  const match = compilePattern('a.b/c(d)-{x}?')
  assert.deepEqual(match('a.b/c(d)-1?'), { x: '1' })
  assert.equal(match('aXb/c(d)-1?'), undefined)
})

test('encodes and decodes values with colons, percent signs and non-ASCII letters', () => {
  for (const choice of ['tea', 'a:b', '100%', '%3A', '%253A', 'чай ☕', '12:30 %3A {x}']) {
    const id = customId('vote:{choice}', { choice })
    assert.deepEqual(compilePattern('vote:{choice}')(id), { choice }, id)
  }
})

test('accepts numbers as values', () => {
  assert.equal(customId('again:{count}:{sides}', { count: 2, sides: 6 }), 'again:2:6')
})

test('throws if a value is empty or the customId is too long', () => {
  assert.throws(() => customId('vote:{choice}', { choice: '' }), /requires a value for \{choice\}/)
  assert.throws(() => customId('vote:{choice}', { choice: 'x'.repeat(100) }), /at most 100 characters/)
})

test('throws if a pattern has a duplicate parameter or one without a name', () => {
  assert.throws(() => compilePattern('{a}:{a}'), /twice/)
  assert.throws(() => compilePattern('vote:{}'), /not a parameter name/)
})
