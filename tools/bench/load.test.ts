import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { listen } from '@gatehouse/testkit/listen'
import { closedLoop, openLoop, send } from './load.ts'
import { compare, figure } from './report.ts'

const bench = { short: true, rounds: 1, engine: 'sqlite', nodes: 1 } as const

test('an unexpected response is an error of the row, in a closed and in an open loop', async t => {
  const statuses = { '/good': 200, '/bad': 503, '/closed': 0 }
  const server = createServer(({ url }, response) => {
    const status = statuses[url as keyof typeof statuses]
    if (status === 0) response.destroy()
    else response.writeHead(status).end(url)
  })
  const { port } = await listen(t, server)
  const target = { ports: [port], pids: () => [process.pid] }
  const closed =
    (path: string, contains = path) =>
    () =>
      closedLoop(target, { requests: [{ path }], status: 200, contains, amount: 4 })
  const open = (path: string) => () =>
    openLoop(
      target,
      1000,
      ms => ms >= 4,
      () => send(port, { method: 'GET', path }, 200),
    )
  for (const ours of [closed('/good'), open('/good')])
    assert.deepEqual((await compare(bench, '', { ours }, {})).errors, {})
  for (const ours of [
    closed('/bad'),
    closed('/good', 'other'),
    closed('/closed'),
    open('/bad'),
    open('/closed'),
  ])
    assert.notDeepEqual((await compare(bench, '', { ours }, {})).errors, {})
})

test('a figure has the verdict of its goal', () => {
  const judge = (value: number, goal?: object) => figure('', value, String, goal)
  assert.deepEqual([judge(2, { least: 2 }).isReached, judge(1, { least: 2 }).isReached], [true, false])
  assert.deepEqual([judge(2, { most: 2 }).isReached, judge(3, { most: 2 }).isReached], [true, false])
  assert.deepEqual([judge(Number.NaN, { most: 2 }).isReached, judge(3).isReached], [false, true])
})
