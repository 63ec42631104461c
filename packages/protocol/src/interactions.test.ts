import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callbackName, isEphemeral, readInvoke } from './interactions.ts'

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

test('a command interaction has a command id and optional options', () => {
  assert.deepEqual(readInvoke({ type: 'command', channelId: id, commandId: other }), {
    invoke: { type: 'command', channelId: id, commandId: other, options: [] },
    violations: [],
  })
  const options = [{ name: 'sides', value: 6 }]
  assert.deepEqual(
    readInvoke({ type: 'command', channelId: id, commandId: other, options, nonce: 'n' }).invoke,
    {
      type: 'command',
      channelId: id,
      commandId: other,
      options,
      nonce: 'n',
    },
  )
})

test('a button interaction has a message id and a customId', () => {
  assert.deepEqual(readInvoke({ type: 'component', channelId: id, messageId: other, customId: 'go' }), {
    invoke: { type: 'component', channelId: id, messageId: other, customId: 'go' },
    violations: [],
  })
})

test('rejects missing members and members of the other interaction type', () => {
  const rules = (body: Parameters<typeof readInvoke>[0]) => {
    const { invoke, violations } = readInvoke(body)
    assert.equal(invoke, undefined)
    return violations.map(violation => `${violation.path.join('.')} ${violation.rule}`)
  }
  assert.deepEqual(rules({ type: 'command', channelId: id }), ['commandId required'])
  assert.deepEqual(rules({ type: 'component', channelId: id }), ['messageId required', 'customId required'])
  assert.deepEqual(rules({ type: 'command', channelId: id, commandId: id, customId: 'go' }), [
    'customId not_allowed',
  ])
  assert.deepEqual(rules({ type: 'component', channelId: id, messageId: id, customId: 'go', options: [] }), [
    'options not_allowed',
  ])
})
