import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isId, PathIds } from './ids.ts'

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
  const { required, properties } = JSON.parse(JSON.stringify(PathIds('id', 'messageId')))
  assert.deepEqual(required, ['id', 'messageId'])
  assert.deepEqual(Object.keys(properties), ['id', 'messageId'])
})
