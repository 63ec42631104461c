import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallbackBody, isEphemeral, RunInteractionBody } from './interactions.ts'
import { parse } from './parse.ts'
import type { Schema } from './wire.ts'

const id = '1000000000000000001'
const other = '1000000000000000002'

test('a callback type has a name and a number', () => {
  assert.deepEqual(
    ([4, 5, 6, 7, 'message', 'defer', 'deferred_update', 'update'] as const).map(
      type => parse(CallbackBody, { type }).value?.type,
    ),
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

/** `path code` of every violation. */
const check = (schema: Schema, body: object) =>
  parse(schema, body).violations.map(({ path, code }) => `${path.join('.')} ${code}`)
const checkBody = (body: object) => check(RunInteractionBody, body)

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

test('a body of an unknown type has the violations of its other members too', () => {
  assert.deepEqual(checkBody({ channelId: 5, messageId: id, values: 5, other: 5 }), [
    'other unknown_member',
    'type required',
    'channelId invalid_type',
    'values invalid_type',
  ])
  assert.deepEqual(check(CallbackBody, { type: 'poll', data: { flags: 1 } }), [
    'type invalid_choice',
    'data.flags invalid_choice',
  ])
})

test('the data of a callback has the members of its type', () => {
  for (const [body, ...violations] of [
    [
      { type: 'message', data: { choices: [], tts: true } },
      'data.tts unknown_member',
      'data.choices not_allowed',
    ],
    [{ type: 4, data: { title: 'x' } }, 'data.title unknown_member'],
    [{ type: 'defer', data: { flags: 64, ephemeral: true } }],
    [{ type: 5, data: { content: 'x', flags: 64 } }, 'data.content not_allowed'],
    [{ type: 'deferred_update', data: { ephemeral: true } }, 'data.ephemeral not_allowed'],
    [{ type: 'autocomplete', data: { choices: [], embeds: [] } }, 'data.embeds not_allowed'],
    [{ type: 8 }, 'data.choices required'],
    [{ type: 9 }, 'data required'],
  ] as const) {
    assert.deepEqual(check(CallbackBody, body), violations, JSON.stringify(body))
  }
})
