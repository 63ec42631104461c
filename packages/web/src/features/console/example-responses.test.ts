import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkComponents } from '@gatehouse/protocol/components'
import { checkModal } from '@gatehouse/protocol/modals'
import { exampleNames, exampleResponse, parseResponse } from './example-responses.ts'

test('parses a response only if it is a JSON object', () => {
  assert.deepEqual(parseResponse('{"content":"Hi"}'), { content: 'Hi' })
  for (const text of ['', 'Hi', '"Hi"', '[]', 'null', '{"content":'])
    assert.equal(parseResponse(text), undefined)
})

test('every example is a valid message or modal', () => {
  for (const name of exampleNames) {
    const response: Readonly<Record<string, unknown>> = { ...parseResponse(exampleResponse(name)) }
    const { violations } = name === 'modal' ? checkModal(response) : checkComponents(response.components)
    assert.deepEqual(violations, [], name)
    assert.ok(name === 'modal' || response.content || response.embeds, name)
  }
})
