import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exampleNames, exampleResponse, parseResponse } from './example-responses.ts'

test('parses a response only if it is a JSON object', () => {
  assert.deepEqual(parseResponse('{"content":"Hi"}'), { content: 'Hi' })
  for (const text of ['', 'Hi', '"Hi"', '[]', 'null', '{"content":'])
    assert.equal(parseResponse(text), undefined)
})

test('every example is a valid response', () => {
  for (const name of exampleNames) assert.ok(parseResponse(exampleResponse(name)), name)
})
