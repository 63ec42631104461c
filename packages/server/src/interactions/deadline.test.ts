import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deadlinesOf, isOverdue, isTokenExpired, msToRespond, newestExpired } from './deadline.ts'

test('a first response is too late in the millisecond of the deadline (bots/deadline)', () => {
  const deadlines = deadlinesOf(1000)
  assert.equal(deadlines.deadlineAt, 4000)
  assert.deepEqual(
    [3999, 4000, 4001].map(now => [isOverdue(deadlines, now), msToRespond(deadlines, now)]),
    [
      [false, 1],
      [true, 0],
      [true, -1],
    ],
  )
})

test('follow-ups end in the millisecond in which the token expires (bots/token-lifetime)', () => {
  const deadlines = deadlinesOf(1000)
  assert.equal(deadlines.expiresAt, 901_000)
  assert.deepEqual(
    [900_999, 901_000, 901_001].map(now => isTokenExpired(deadlines, now)),
    [false, true, true],
  )
  assert.deepEqual([newestExpired(900_999), newestExpired(901_000)], [999, 1000])
})
