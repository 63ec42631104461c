import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exampleAnswer, exampleNames, readAnswer } from './answers.ts'

test('an answer is a JSON object; what is none is not sent', () => {
  assert.deepEqual(readAnswer('{"content":"Hi"}'), { content: 'Hi' })
  for (const text of ['', 'Hi', '"Hi"', '[]', 'null', '{"content":'])
    assert.equal(readAnswer(text), undefined)
})

test('every example is one', () => {
  for (const name of exampleNames) assert.ok(readAnswer(exampleAnswer(name)), name)
})
