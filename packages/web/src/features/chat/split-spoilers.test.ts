import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitSpoilers } from './split-spoilers.ts'

test('finds spoilers as Discord does, except in code and after a backslash (community/spoilers)', () => {
  assert.deepEqual(splitSpoilers('a ||b|| c ||d||'), ['a ', 'b', ' c ', 'd', ''])
  assert.deepEqual(splitSpoilers('||a\n\n**b**||'), ['', 'a\n\n**b**', ''])
  assert.deepEqual(splitSpoilers('|||a|||'), ['', '|a', '|'])
  assert.deepEqual(splitSpoilers('||`a||b`||'), ['', '`a||b`', ''])
  assert.deepEqual(splitSpoilers('||```\na || b\n```||'), ['', '```\na || b\n```', ''])
  for (const text of ['', 'a || b', '||||', '|| ||', '\\||a||', '`||a||`', '|a|', '||a\\||'])
    assert.deepEqual(splitSpoilers(text), [text])
})

test('takes linear time', () => {
  assert.equal(splitSpoilers('||'.repeat(50_000)).join('').length > 0, true)
})
