import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupBySize, inSlices, mapWithPauses, oneByOne } from './batches.ts'

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

test('oneByOne lets the event loop handle other events between two items (limits/event-loop)', async () => {
  const log: string[] = []
  setImmediate(() => log.push('other'))
  const results = await oneByOne([1, 2], async item => {
    log.push(`${item}`)
    return -item
  })
  assert.deepEqual(log, ['1', 'other', '2'])
  assert.deepEqual(results, [-1, -2])
})

test('mapWithPauses lets the event loop handle other events when 5 ms have passed (limits/event-loop)', async () => {
  const log: string[] = []
  setImmediate(() => log.push('other'))
  const results = await mapWithPauses([1, 2], item => {
    log.push(`${item}`)
    const end = performance.now() + 6
    while (performance.now() < end);
    return -item
  })
  assert.deepEqual(log, ['1', 'other', '2'])
  assert.deepEqual(results, [-1, -2])
})

test('groupBySize fills each group up to the size, and gives a larger item a group of its own', () => {
  const group = (sizes: number[]) => groupBySize(sizes, size => size, 10)
  assert.deepEqual(group([4, 6, 1, 12, 9, 1, 1]), [[4, 6], [1], [12], [9, 1], [1]])
  assert.deepEqual(group([]), [])
})
