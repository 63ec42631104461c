import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initials } from './initials.ts'

test('initials are whole grapheme clusters (limits/whole-clusters)', () => {
  for (const [name, shown] of [
    ['ann bell carter', 'AB'],
    ['👨‍👩‍👧‍👦 Family', '👨‍👩‍👧‍👦F'],
    ['🇩🇪 Deutsch', '🇩🇪D'],
    ['❤️ Love', '❤️L'],
    ['e\u0301ric', 'E\u0301'],
    ['  ', '?'],
  ] as const)
    assert.equal(initials(name), shown)
})
