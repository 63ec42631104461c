import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachBus } from '@gatehouse/testkit/bus'
import { createTestClock } from '@gatehouse/testkit/clock'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import type { Bus } from '../bus/bus.ts'
import { type Clock, systemTimers } from '../kit/clock.ts'
import { createRateLimiter, maxExactSeconds, type RateLimits } from './rate-limiter.ts'
import { openSharedHits } from './shared-hits.ts'

const rejected = { code: 'rate_limited', status: 429 }

async function joinCluster(bus: Bus, clock: Clock, limits: RateLimits = {}) {
  const hits = await openSharedHits(bus, systemTimers)
  return createRateLimiter({ clock, limits, cluster: { kv: bus.requestKv, hits } })
}

test('counts each key and each rate separately, and returns the time to wait (limits/rates)', async () => {
  const clock = createTestClock()
  const limiter = createRateLimiter({ clock: clock.now, limits: {} })
  const messages = limiter.window('channelMessages')
  for (let i = 0; i < 10; i++) await messages.check('1')
  clock.advance(2500)
  await assert.rejects(messages.check('1'), { ...rejected, retryAfter: 7.5 })
  await messages.check('2')
  await limiter.window('interactions').check('1')
  clock.advance(7500)
  await messages.check('1')
})

test('a rate of the configuration replaces the default', async () => {
  const limiter = createRateLimiter({
    clock: createTestClock().now,
    limits: { servers: { count: 2, seconds: 5 }, requests: { count: 1, seconds: 1 } },
  })
  const servers = limiter.window('servers')
  for (let i = 0; i < 2; i++) await servers.check('1')
  await assert.rejects(servers.check('1'), { ...rejected, retryAfter: 5 })
  for (let i = 0; i < 2; i++) limiter.checkRequest('1')
  assert.throws(() => limiter.checkRequest('1'), rejected)
})

test('off allows every hit and stores nothing', async () => {
  const limiter = createRateLimiter({ clock: createTestClock().now, limits: 'off' })
  const window = limiter.window('mails')
  const allowed = { allowed: true, remaining: 5, retryAfterMs: 0, resetAfterMs: 0 }
  for (let i = 0; i < 10; i++) assert.deepEqual(await window.hit('a'), allowed)
  assert.deepEqual(window.peek('a'), allowed)
  await window.undo('a')
  await window.reset('a')
  for (let i = 0; i < 1000; i++) limiter.checkRequest('1')
})

eachBus(
  'parallel attempts on two nodes never exceed an exact rate (limits/rates)',
  async (_t, { nodes, clock }) => {
    const [one, two] = await Promise.all(nodes.map(node => joinCluster(node, clock.now)))
    const windows = [one, two].map(limiter => limiter?.window('wrongPasswords'))
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, i) => windows[i % 2]?.hit('login ada 192.0.2.1')),
    )
    assert.equal(results.filter(result => result?.allowed).length, 10)
    // On one node, because the window of the other node may be full of its own hits.
    await windows[0]?.undo('login ada 192.0.2.1')
    assert.equal((await windows[0]?.hit('login ada 192.0.2.1'))?.allowed, true)
  },
)

eachBus(
  'a reset of an exact rate reaches the windows of other nodes (limits/rates)',
  async (_t, { nodes, clock }) => {
    const [one, two] = await Promise.all(nodes.map(node => joinCluster(node, clock.now)))
    const [here, there] = [one?.window('wrongPasswords'), two?.window('wrongPasswords')]
    assert.ok(here && there)
    for (let i = 0; i < 10; i++) await there.check('a')
    await assert.rejects(there.check('a'), rejected)
    await here.reset('a')
    await waitUntil(() => there.peek('a').remaining === 10)
    await there.check('a')
  },
)

eachBus('an exact rate can have the maximum period', async (_t, { nodes: [node], clock }) => {
  const limits = { wrongPasswords: { count: 1, seconds: maxExactSeconds } }
  const { check } = (await joinCluster(node, clock.now, limits)).window('wrongPasswords')
  await check('a')
  clock.advance(maxExactSeconds * 1000 - 1)
  await assert.rejects(check('a'), rejected)
  clock.advance(1)
  await check('a')
})

eachBus('a hit that the cluster rejects does not count on its node', async (_t, { nodes, clock }) => {
  const [one, two] = await Promise.all(nodes.map(node => joinCluster(node, clock.now)))
  const [posts, others] = [one?.window('webhookPosts'), two?.window('webhookPosts')]
  assert.ok(posts && others)
  for (let i = 0; i < 3; i++) assert.equal((await posts.hit('1')).allowed, true)
  for (let i = 0; i < 2; i++) assert.equal((await others.hit('1')).allowed, true)
  const result = await others.hit('1')
  assert.deepEqual([result.allowed, result.remaining, result.retryAfterMs], [false, 0, 2000])
  assert.equal(others.peek('1').remaining, 3)
  assert.equal((await two?.window('webhookEdits').hit('1'))?.allowed, true)
  clock.advance(2000)
  assert.equal((await others.hit('1')).allowed, true)
})

eachBus('hits of other nodes count after a short time (limits/rates)', async (_t, { nodes, clock }) => {
  const [one, two] = await Promise.all(nodes.map(node => joinCluster(node, clock.now)))
  assert.ok(one && two)
  const [here, there] = [one.window('channelMessages'), two.window('channelMessages')]
  for (let i = 0; i < 6; i++) await here.check('1')
  await here.undo('1')
  for (let i = 0; i < 3; i++) await there.check('1')
  for (let i = 0; i < 60; i++) one.checkRequest('1')
  await waitUntil(() => here.peek('1').remaining === 2 && there.peek('1').remaining === 2)
  await here.reset('1')
  await waitUntil(() => there.peek('1').remaining === 10)
  // 60 of 100 requests of the burst are used.
  for (let i = 0; i < 40; i++) two.checkRequest('1')
  assert.throws(() => two.checkRequest('1'), rejected)
})
