import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachBus } from '@gatehouse/testkit/bus'
import { createTestClock } from '@gatehouse/testkit/clock'
import { BusUnavailable, type KeyValueStore } from '../bus/bus.ts'
import { createClusterSlidingWindow } from './cluster-sliding-window.ts'

const options = { limit: 5, windowMs: 2000 }

eachBus('allows exactly the limit of concurrent hits on two nodes', async (_t, { nodes, clock }) => {
  const windows = nodes.map(node =>
    createClusterSlidingWindow({ ...options, clock: clock.now, kv: node.requestKv }),
  )
  const results = await Promise.all(
    Array.from({ length: 30 }, (_, i) => windows[i % 2]?.hit('webhook-posts.1')),
  )
  assert.equal(results.filter(result => result?.allowed).length, 5)
  clock.advance(1999)
  assert.equal((await windows[0]?.hit('webhook-posts.1'))?.allowed, false)
  assert.equal((await windows[0]?.hit('webhook-posts.2'))?.allowed, true)
  clock.advance(1)
  assert.equal((await windows[1]?.hit('webhook-posts.1'))?.allowed, true)
})

eachBus('never allows more than the limit in any window', async (_t, { nodes, clock }) => {
  const [node] = nodes
  const window = createClusterSlidingWindow({ ...options, clock: clock.now, kv: node.requestKv })
  const allowed: number[] = []
  for (let i = 0; i < 120; i++) {
    const result = await window.hit('k')
    if (result?.allowed) allowed.push(clock.now())
    else assert.equal((result?.retryAfterMs ?? 0) > 0 && (result?.retryAfterMs ?? 0) <= 2000, true)
    clock.advance(170)
  }
  for (const time of allowed) {
    assert.ok(allowed.filter(other => other >= time && other < time + 2000).length <= 5)
  }
  // 5 hits in each 2 s of 20.4 s.
  assert.ok(allowed.length >= 50, String(allowed.length))
})

eachBus('undo removes the newest hit, and reset all, on any node', async (_t, { nodes, clock }) => {
  const [one, two] = nodes.map(node =>
    createClusterSlidingWindow({ limit: 3, windowMs: 600_000, clock: clock.now, kv: node.requestKv }),
  )
  assert.ok(one && two)
  for (const each of [one, two, one]) {
    assert.equal((await each.hit('k'))?.allowed, true)
    clock.advance(250_000)
  }
  clock.advance(-250_000)
  assert.equal((await two.hit('k'))?.allowed, false)
  await two.undo('k')
  assert.equal((await one.hit('k'))?.allowed, true)
  assert.equal((await two.hit('k'))?.allowed, false)
  await one.reset('k')
  for (let i = 0; i < 3; i++) assert.equal((await two.hit('k'))?.allowed, true)
})

eachBus('a key has one entry, which a hit extends', async (_t, { nodes: [{ requestKv }], clock }) => {
  const keys = new Set<string>()
  const kv: KeyValueStore = {
    ...requestKv,
    create: (key, ...rest) => {
      keys.add(key)
      return requestKv.create(key, ...rest)
    },
  }
  const window = createClusterSlidingWindow({ limit: 2, windowMs: 600_000, clock: clock.now, kv })
  for (let i = 0; i < 20; i++) {
    assert.equal((await window.hit('k'))?.allowed, true, String(i))
    clock.advance(300_000)
  }
  assert.equal(keys.size, 1)
})

eachBus('a clock that steps back does not extend the window', async (_t, { nodes: [node], clock }) => {
  const window = createClusterSlidingWindow({ ...options, limit: 1, clock: clock.now, kv: node.requestKv })
  assert.equal((await window.hit('k'))?.allowed, true)
  clock.advance(-1000)
  assert.equal((await window.hit('k'))?.allowed, false)
  clock.advance(-2000)
  assert.equal((await window.hit('k'))?.allowed, true)
  assert.equal((await window.hit('k'))?.allowed, false)
})

test('returns undefined if the cluster is unreachable', async () => {
  const unavailable = async () => {
    throw new BusUnavailable()
  }
  const kv: KeyValueStore = {
    get: unavailable,
    set: unavailable,
    create: unavailable,
    update: unavailable,
    delete: unavailable,
  }
  const window = createClusterSlidingWindow({ ...options, clock: createTestClock().now, kv })
  assert.equal(await window.hit('k'), undefined)
  await window.undo('k')
  await window.reset('k')
})
