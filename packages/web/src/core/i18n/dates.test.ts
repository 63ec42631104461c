import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDates } from './dates.ts'

test('dayKey returns the local calendar day, for days in any order', () => {
  const { dayKey } = createDates('en-GB')
  const at = (year: number, month: number, day: number, hour: number, minute: number) =>
    new Date(year, month - 1, day, hour, minute).toISOString()
  assert.equal(dayKey(at(2026, 1, 31, 0, 0)), '2026-1-31')
  assert.equal(dayKey(at(2026, 1, 31, 23, 59)), '2026-1-31')
  assert.equal(dayKey(at(2026, 2, 1, 0, 0)), '2026-2-1')
  assert.equal(dayKey(at(2026, 1, 31, 12, 0)), '2026-1-31')
  assert.equal(dayKey(at(2025, 12, 31, 23, 59)), '2025-12-31')
})

test('daysAgo counts calendar days', () => {
  const { daysAgo } = createDates('en-GB')
  const now = new Date(2026, 2, 30, 0, 5).getTime()
  assert.equal(daysAgo(new Date(2026, 2, 29, 23, 59).toISOString(), now), 1)
  assert.equal(daysAgo(new Date(2026, 2, 30, 0, 1).toISOString(), now), 0)
})

test('timestamp formats each style, and an unknown style as f', () => {
  const { timestamp } = createDates('en-GB')
  const iso = new Date(2026, 2, 30, 14, 5, 9).toISOString()
  const now = Date.parse(iso)
  const format = (style: string) => timestamp(iso, style, now)
  assert.deepEqual(['t', 'T', 'd', 'D', 'f', 'F', 'x'].map(format), [
    '14:05',
    '14:05:09',
    '30/03/2026',
    '30 March 2026',
    '30 March 2026 at 14:05',
    'Monday, 30 March 2026 at 14:05',
    '30 March 2026 at 14:05',
  ])
})

test('timestamp formats a relative time in the largest unit that fits, in the locale', () => {
  const now = Date.UTC(2026, 0, 10, 12)
  const at = (seconds: number) => new Date(now + seconds * 1000).toISOString()
  const english = (seconds: number) => createDates('en-GB').timestamp(at(seconds), 'R', now)
  assert.deepEqual([-5, -110, -7200, -86_400, 3 * 86_400, 400 * 86_400].map(english), [
    '5 seconds ago',
    '2 minutes ago',
    '2 hours ago',
    'yesterday',
    'in 3 days',
    'next year',
  ])
  assert.equal(createDates('ru').timestamp(at(-86_400), 'R', now), 'вчера')
})
