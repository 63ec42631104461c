import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compilePattern, customId } from './custom-ids.ts'

test('a pattern matches its customIds and reads their parameters', () => {
  const match = compilePattern('vote:{poll}:{choice}')
  assert.deepEqual(match('vote:7:tea'), { poll: '7', choice: 'tea' })
  assert.equal(match('vote:7'), undefined)
  assert.equal(match('vote:7:'), undefined)
  assert.equal(match('vote:7:tea:x'), undefined)
  assert.equal(match('revote:7:tea'), undefined)
})

test('characters that mean something in a regular expression mean themselves in a pattern', () => {
  const match = compilePattern('a.b/c(d)-{x}?')
  assert.deepEqual(match('a.b/c(d)-1?'), { x: '1' })
  assert.equal(match('aXb/c(d)-1?'), undefined)
})

test('a value comes back as it went in, with colons, percent signs and letters of any script', () => {
  for (const choice of ['tea', 'a:b', '100%', '%3A', '%253A', 'чай ☕', '12:30 %3A {x}']) {
    const id = customId('vote:{choice}', { choice })
    assert.deepEqual(compilePattern('vote:{choice}')(id), { choice }, id)
  }
})

test('numbers are written as they are', () => {
  assert.equal(customId('again:{count}:{sides}', { count: 2, sides: 6 }), 'again:2:6')
})

test('a customId that could not come back is refused', () => {
  assert.throws(() => customId('vote:{choice}', { choice: '' }), /needs a value for \{choice\}/)
  assert.throws(() => customId('vote:{choice}', { choice: 'x'.repeat(100) }), /up to 100 characters/)
})

test('a pattern with a parameter twice, or one without a name, is refused', () => {
  assert.throws(() => compilePattern('{a}:{a}'), /twice/)
  assert.throws(() => compilePattern('vote:{}'), /no name/)
})
