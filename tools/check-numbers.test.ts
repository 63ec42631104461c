import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numbersIn, textsOf, unborne } from './check-numbers.ts'

for (const [text, numbers] of [
  ['check 46: other names are refused', [46]],
  ['410 from it on with how late it was (checks 66, 67)', [66, 67]],
  ['checks 27 and 29: what is not JSON', [27, 29]],
  ['checks 3 to 8 and 11: nothing else matches', [3, 4, 5, 6, 7, 8, 11]],
  ['checks 18 to 20, 24: an internal address', [18, 19, 20, 24]],
  ['checks 31, 32, and 35–37: lengths', [31, 32, 35, 36, 37]],
  ['429: check 64: the sixth post in 2 s', [64]],
  ['check 8 and D46: an edit', [8]],
  ['Checks 5 and check 4', [4, 5]],
  ['D51: the event comes signed', []],
  ['a check of 12 things', []],
] as const) {
  test(`the numbers of ${JSON.stringify(text)}`, () => {
    assert.deepEqual(numbersIn(text), numbers)
  })
}

test('names count in whatever way they are written, comments do not', () => {
  const source = `
    // check 1
    /** check 2 */
    test('check 3: one', () => {})
    test("check 4: isn't it", () => {})
    eachService(\`check 5: \${name}\`, run)
    const table = [['check 6', 1]]
  `
  assert.deepEqual(textsOf(source).flatMap(numbersIn), [3, 4, 5, 6])
})

test('what no test bears is found, unless it is exempt', () => {
  const list = { name: 'list', last: 5, files: [], exempt: { 4: 'does not exist here' } }
  assert.deepEqual(unborne(list, ['check 1', 'checks 2 to 3']), [5])
  assert.deepEqual(unborne(list, ['checks 1 to 5, 9']), [])
})
