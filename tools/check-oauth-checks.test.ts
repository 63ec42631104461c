import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareChecks, excusedIn, numbersIn } from './check-oauth-checks.ts'

const all = Array.from({ length: 140 }, (_one, index) => index + 1)

test('one number, a list and a range are read from the names of tests', () => {
  assert.deepEqual(numbersIn("test('check 63: a code', f)"), [63])
  assert.deepEqual(numbersIn('eachService("checks 74, 94 and 132 to 134: both", f)'), [74, 94, 132, 133, 134])
  assert.deepEqual(numbersIn("const cases = [['check 16: missing', {}]]"), [16])
  assert.deepEqual(numbersIn('test(`checks 12 and 13: the port: ' + '$' + '{uri}`, f)'), [12, 13])
  assert.deepEqual(numbersIn("test('checks 114 and D77: keys', f)"), [114])
})

test('a comment, a message and a decision bear no number', () => {
  assert.deepEqual(numbersIn("// check 63: a code\nassert.ok(x, 'as check 64: says')\ntest('D17: y', f)"), [])
})

test('a line without a test is found, unless it is excused', () => {
  const without18 = all.filter(number => number !== 18)
  assert.deepEqual(compareChecks(without18, []), ['no test bears the number of check 18'])
  assert.deepEqual(compareChecks(without18, [18]), [])
})

test('an excuse that is none, and a number beyond the list, are found', () => {
  assert.deepEqual(compareChecks(all, [18]), ['check 18 is excused, and has a test'])
  assert.deepEqual(compareChecks([...all, 141], []), ['there is no check 141'])
})

test('an excuse has a reason', () => {
  assert.deepEqual(
    excusedIn(
      '| check | why |\n| --- | --- |\n| 18 | No such thing. |\n| 19 |  |\n| 20    | Nor this.      |\n',
    ),
    [18, 20],
  )
})
