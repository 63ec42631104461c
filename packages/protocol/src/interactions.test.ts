import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callbackName, isEphemeral, RunInteractionBody } from './interactions.ts'
import { checkRules } from './schema.ts'

const id = '1000000000000000001'
const other = '1000000000000000002'

test('a callback type has a name and a number', () => {
  assert.deepEqual(
    ([4, 5, 6, 7, 'message', 'defer', 'deferred_update', 'update'] as const).map(callbackName),
    ['message', 'defer', 'deferred_update', 'update', 'message', 'defer', 'deferred_update', 'update'],
  )
})

test('flags: 64 is equivalent to ephemeral: true', () => {
  assert.equal(isEphemeral({ flags: 64 }), true)
  assert.equal(isEphemeral({ ephemeral: true }), true)
  assert.equal(isEphemeral({ ephemeral: false, flags: 0 }), false)
  assert.equal(isEphemeral({}), false)
  assert.equal(isEphemeral(undefined), false)
})

const checkBody = (body: object) =>
  checkRules(RunInteractionBody, body).map(violation => `${violation.path.join('.')} ${violation.code}`)

test('a command interaction has a command id and optional options', () => {
  assert.deepEqual(checkBody({ type: 'command', channelId: id, commandId: other }), [])
  const options = [{ name: 'sides', value: 6 }]
  assert.deepEqual(checkBody({ type: 'command', channelId: id, commandId: other, options, nonce: 'n' }), [])
})

test('a button interaction has a message id and a customId', () => {
  assert.deepEqual(checkBody({ type: 'component', channelId: id, messageId: other, customId: 'go' }), [])
})

test('rejects missing members and members of the other interaction type', () => {
  assert.deepEqual(checkBody({ type: 'command', channelId: id }), ['commandId required'])
  assert.deepEqual(checkBody({ type: 'component', channelId: id }), [
    'messageId required',
    'customId required',
  ])
  assert.deepEqual(checkBody({ type: 'command', channelId: id, commandId: id, customId: 'go' }), [
    'customId not_allowed',
  ])
  assert.deepEqual(
    checkBody({ type: 'component', channelId: id, messageId: id, customId: 'go', options: [] }),
    ['options not_allowed'],
  )
})
