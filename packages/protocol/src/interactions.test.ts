import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callbackName, isEphemeral, readInvoke } from './interactions.ts'

const id = '1000000000000000001'
const other = '1000000000000000002'

test('callback types have a name and a number', () => {
  assert.deepEqual(
    ([4, 5, 6, 7, 'message', 'defer', 'deferred_update', 'update'] as const).map(callbackName),
    ['message', 'defer', 'deferred_update', 'update', 'message', 'defer', 'deferred_update', 'update'],
  )
})

test('flags 64 is the same as ephemeral', () => {
  assert.equal(isEphemeral({ flags: 64 }), true)
  assert.equal(isEphemeral({ ephemeral: true }), true)
  assert.equal(isEphemeral({ ephemeral: false, flags: 0 }), false)
  assert.equal(isEphemeral({}), false)
  assert.equal(isEphemeral(undefined), false)
})

test('the use of a command has its id, and options where it has some', () => {
  assert.deepEqual(readInvoke({ type: 'command', channelId: id, commandId: other }), {
    invoke: { type: 'command', channelId: id, commandId: other, options: [] },
    faults: [],
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

test('the press of a button has its message and customId', () => {
  assert.deepEqual(readInvoke({ type: 'component', channelId: id, messageId: other, customId: 'go' }), {
    invoke: { type: 'component', channelId: id, messageId: other, customId: 'go' },
    faults: [],
  })
})

test('what is missing and what belongs to the other kind is named', () => {
  const rules = (body: Parameters<typeof readInvoke>[0]) => {
    const { invoke, faults } = readInvoke(body)
    assert.equal(invoke, undefined)
    return faults.map(fault => `${fault.path.join('.')} ${fault.rule}`)
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
