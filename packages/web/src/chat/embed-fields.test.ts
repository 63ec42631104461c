import assert from 'node:assert/strict'
import test from 'node:test'
import { layFields } from './embed-fields.ts'

const of = (pattern: string) => layFields([...pattern].map(sign => ({ inline: sign === 'i' }))).join('')

test('inline fields that follow each other share rows of three, what is left over the rest', () => {
  for (const [pattern, laid] of [
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
    assert.equal(of(pattern), laid, pattern)
  assert.deepEqual(layFields([{}]), [1])
})
