import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCounter, median, quantile } from './statistics.ts'

test('a quantile is a measured value (nearest rank)', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1)
  assert.equal(quantile(hundred, 0.5), 50)
  assert.equal(quantile(hundred, 0.99), 99)
  assert.equal(quantile([7], 0.99), 7)
  assert.ok(Number.isNaN(quantile([], 0.5)))
})

test('the median of an even number of values is the mean of the two middle values', () => {
  assert.equal(median([3, 1, 2]), 2)
  assert.equal(median([4, 1, 3, 2]), 2.5)
})

test('counts an unexpected response under its error text, and not as done', () => {
  const counter = createCounter()
  for (const ms of [1, 2, 3]) counter.count(ms, undefined)
  counter.count(900, '503')
  counter.count(900, '503')
  assert.deepEqual(counter.summarize(1500), { done: 3, perSecond: 2, p50: 2, p99: 3, errors: { 503: 2 } })
})
