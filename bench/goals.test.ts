import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Bench } from './bench.ts'
import type { Costs } from './costs.ts'
import { judge, judgeNodeTime, judgeRoundTrips, percent, times } from './goals.ts'

// The functions read only these fields.
const benchOf = (engine: Bench['engine'], nodes = 1) => ({ engine, nodes }) as Bench
const costsOf = (costs: Partial<Costs>) => costs as Costs

test('a figure is judged by its goal, and reached without one', () => {
  assert.deepEqual(judge(0.5, percent, { least: 0.6 }), {
    figure: '50 %',
    goal: 'at least 60 %',
    isReached: false,
  })
  assert.equal(judge(0.6, percent, { least: 0.6 }).isReached, true)
  assert.deepEqual(judge(1.5, times, { most: 1.4 }), {
    figure: '1.50×',
    goal: 'at most 1.40×',
    isReached: false,
  })
  assert.equal(judge(1.4, times, { most: 1.4 }).isReached, true)
  assert.deepEqual(judge(7, String, undefined), { figure: '7', goal: undefined, isReached: true })
})

test('round trips have a goal with PostgreSQL only, and one of the periodic work does not miss it', () => {
  const judged = (trips: number) =>
    judgeRoundTrips(benchOf('postgres'), 'x', costsOf({ round_trips: trips }), 1)
  assert.deepEqual(
    [1.03, 1.2].map(trips => judged(trips)[0]?.isReached),
    [true, false],
  )
  assert.deepEqual(judgeRoundTrips(benchOf('sqlite'), 'x', costsOf({ round_trips: 0 }), 1), [])
})

test('the processor time is compared with SQLite within each round, or that of several nodes with one', () => {
  const rounds = [
    [130, 100],
    [300, 200],
    [150, 100],
  ].map(([ours, reference]) => ({
    ours: { costs: costsOf({ node: ours ?? 0 }) },
    reference: { costs: costsOf({ node: reference ?? 0 }), errors: { 503: 1 } },
  }))
  const [one] = judgeNodeTime(benchOf('postgres'), 'x', rounds)
  assert.deepEqual([one?.figure, one?.isReached, one?.errors], ['1.50×', false, { 503: 3 }])
  const [two] = judgeNodeTime(benchOf('postgres', 2), 'x', rounds)
  assert.deepEqual([two?.figure, two?.isReached], ['1.33× as many operations', false])
  assert.deepEqual(two?.sides, { '2 nodes': '150 µs', 'one node': '100 µs' })
  const without = rounds.map(({ ours }) => ({ ours, reference: undefined }))
  assert.deepEqual(judgeNodeTime(benchOf('sqlite'), 'x', without), [])
})
