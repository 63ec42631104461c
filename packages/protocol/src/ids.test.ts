import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isId, PathIds } from './ids.ts'
import { parse } from './parse.ts'

test('an id is a decimal string of 17 to 20 digits', () => {
  for (const text of ['10000000000000000', '1000000000000000001', '18446744073709551615'])
    assert.equal(isId(text), true)
  const bad = [
    '',
    '1',
    '1000000000000000',
    '0000000000000000001',
    '100000000000000000000',
    '1e18',
    ' 1000000000000000001',
  ]
  for (const text of bad) assert.equal(isId(text), false, text)
  assert.equal(isId('1000000000000000001\n'), false)
  assert.equal(isId(1000000000000000001n), false)
})

test('every path parameter is a required id', () => {
  const { violations } = parse(PathIds('id', 'messageId'), {})
  assert.deepEqual(
    violations.map(({ path, code }) => [path, code]),
    [
      [['id'], 'required'],
      [['messageId'], 'required'],
    ],
  )
})
