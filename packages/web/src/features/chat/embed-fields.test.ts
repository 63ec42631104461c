import assert from 'node:assert/strict'
import test from 'node:test'
import { layoutFields } from './embed-fields.ts'

const layoutOf = (pattern: string) =>
  layoutFields([...pattern].map(sign => ({ inline: sign === 'i' }))).join('')

test('consecutive inline fields form rows of three, and the remaining fields the last row', () => {
  for (const [pattern, layout] of [
    ['', ''],
    ['-', '1'],
    ['i', '1'],
    ['ii', '22'],
    ['iii', '333'],
    ['iiii', '3331'],
    ['iiiii', '33322'],
    ['ii-ii', '22122'],
    ['-iii-i', '133311'],
  ] as const)
    assert.equal(layoutOf(pattern), layout, pattern)
  assert.deepEqual(layoutFields([{}]), [1])
})
