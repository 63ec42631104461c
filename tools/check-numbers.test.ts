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

for (const [text, numbers] of [
  ['D31: an endpoint inside is refused', [31]],
  ['bounds are for integer and number (D28, D52)', [28, 52]],
  ['D25 to D27 and D30', [25, 26, 27, 30]],
  ['D25–D27, D51–53', [25, 26, 27, 51, 52, 53]],
  ['checks 18 to 20, D67: an internal address', [67]],
  ['check 46: other names are refused', []],
  ['an ID31, HD30 and D', []],
] as const) {
  test(`the decisions of ${JSON.stringify(text)}`, () => {
    assert.deepEqual(numbersIn(text, 'D'), numbers)
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
  assert.deepEqual(
    textsOf(source).flatMap(text => numbersIn(text)),
    [3, 4, 5, 6],
  )
})

test('what no test bears is found, unless it is exempt', () => {
  const list = { mark: 'check', last: 5, exempt: { 4: 'does not exist here' } } as const
  assert.deepEqual(unborne(list, ['check 1', 'checks 2 to 3']), [5])
  assert.deepEqual(unborne(list, ['checks 1 to 5, 9']), [])
})

test('a decision that no test bears is found, in the range of its list', () => {
  const list = { mark: 'D', first: 25, last: 28 } as const
  assert.deepEqual(
    unborne(list, ['D24: before', 'D25 and D28', 'check 26', 'D27: a test', 'D29: after']),
    [26],
  )
  assert.deepEqual(unborne(list, ['D25 to D28: all']), [])
})
