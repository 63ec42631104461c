import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inSlices } from './batches.ts'

test('inSlices lets the event loop handle other events between two slices (limits/event-loop)', async () => {
  const log: string[] = []
  setImmediate(() => log.push('other'))
  const results = await inSlices([1, 2, 3, 4, 5], 2, async slice => {
    log.push(slice.join())
    return slice.length
  })
  assert.deepEqual(log, ['1,2', 'other', '3,4', '5'])
  assert.deepEqual(results, [2, 2, 1])
  assert.deepEqual(await inSlices([], 2, async slice => slice.length), [0])
})
