import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurnBatcher } from './turn-batcher.ts'

test('work of one turn of the event loop runs together at its end, in order', async () => {
  const runAtTurnEnd = createTurnBatcher()
  const ran: string[] = []
  runAtTurnEnd(() => ran.push('a'))
  await Promise.resolve()
  runAtTurnEnd(() => ran.push('b'))
  assert.deepEqual(ran, [])
  // This immediate was scheduled after the batch, so it runs after it.
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(ran, ['a', 'b'])
})

test('work that is added by other work runs in the next turn', async () => {
  const runAtTurnEnd = createTurnBatcher()
  const ran: string[] = []
  runAtTurnEnd(() => {
    ran.push('a')
    runAtTurnEnd(() => ran.push('b'))
  })
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(ran, ['a'])
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(ran, ['a', 'b'])
})
