import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Constants, compare, type Prediction, predict, shareAt, simulate } from './capacity.ts'

const people = 1_000_000
const constants: Constants = JSON.parse(
  readFileSync(join(import.meta.dirname, 'capacity-constants.json'), 'utf8'),
).constants

test('the busiest hour of the week is the last evening', () => {
  const hours = Array.from({ length: 168 }, (_, hour) => shareAt(hour))
  assert.equal(hours.indexOf(Math.max(...hours)), 164)
  assert.equal(Math.max(...hours), 1)
})

test('more people need more nodes, and the nodes that remain after a loss are not overloaded', () => {
  const predictions = [10_000, 100_000, people].map(count => predict(constants, count))
  for (const { utilizationAfterLoss } of predictions) assert.ok(utilizationAfterLoss <= 1)
  const nodes = predictions.map(prediction => prediction.nodes)
  assert.deepEqual(
    nodes,
    nodes.toSorted((a, b) => a - b),
  )
})

test('the formula agrees with the simulation, and another formula would not', () => {
  const prediction = predict(constants, people)
  const simulation = simulate(constants, { people, nodes: prediction.nodes, short: true })
  const isReached = (changed: Partial<Prediction>) =>
    compare({ ...prediction, ...changed }, simulation).find(({ isRequired }) => isRequired)?.isReached
  assert.equal(isReached({}), true)
  const { utilization, earlierUtilization, nodeWaitMs } = prediction
  assert.equal(isReached({ utilization: { ...utilization, node: utilization.node * 1.2 } }), false)
  assert.equal(isReached({ utilization: { ...utilization, postgres: utilization.postgres * 1.2 } }), false)
  assert.equal(isReached({ nodeWaitMs: nodeWaitMs / 2 }), false)
  for (const part of ['node', 'postgres', 'nats'] as const) {
    const earlier = { ...earlierUtilization, [part]: earlierUtilization[part] * 1.1 }
    assert.equal(isReached({ earlierUtilization: earlier }), false)
  }
  // A simulation in which the hours before differ.
  const hours = { ...simulation, earlierUtilization: utilization }
  assert.equal(compare(prediction, hours)[0]?.isReached, false)
})

test('docs/scale.md says for each table how it is partitioned', () => {
  const root = join(import.meta.dirname, '..')
  const migrations = globSync('packages/server/src/storage/migrations/*.sql', { cwd: root })
    .map(file => readFileSync(join(root, file), 'utf8'))
    .join('\n')
  const tables = new Set([...migrations.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, table = '']) => table))
  const text = readFileSync(join(root, 'docs/scale.md'), 'utf8')
  assert.ok(tables.has('messages') && tables.has('oauth_grants'))
  assert.deepEqual(
    [...tables].filter(table => !text.includes(`\`${table}\``)),
    [],
  )
})
