import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BusUnavailable, type Transient } from '../bus/bus.ts'
import { eachBus } from '../bus/testing.ts'
import { createTestClock } from '../kit/testing.ts'
import { createWebhookLimits } from './limits.ts'
import { createSharedWindow } from './shared-window.ts'

const size = { limit: 5, windowMs: 2000 }

eachBus('of any number of hits on two nodes at once, the limit is allowed', async (_t, { nodes, clock }) => {
  const windows = nodes.map(node =>
    createSharedWindow({ ...size, clock: clock.now, transient: node.transient }),
  )
  const verdicts = await Promise.all(
    Array.from({ length: 30 }, (_, i) => windows[i % 2]?.hit('webhook-posts.1')),
  )
  assert.equal(verdicts.filter(verdict => verdict?.allowed).length, 5)
  clock.advance(1999)
  assert.equal((await windows[0]?.hit('webhook-posts.1'))?.allowed, false)
  assert.equal((await windows[0]?.hit('webhook-posts.2'))?.allowed, true)
  clock.advance(1)
  assert.equal((await windows[1]?.hit('webhook-posts.1'))?.allowed, true)
})

eachBus(
  'the window slides: no span of its length ever holds more, from one key to the next',
  async (_t, { nodes, clock }) => {
    const [node] = nodes
    const window = createSharedWindow({ ...size, clock: clock.now, transient: node.transient })
    const allowed: number[] = []
    for (let i = 0; i < 120; i++) {
      const verdict = await window.hit('k')
      if (verdict?.allowed) allowed.push(clock.now())
      else assert.equal((verdict?.retryAfterMs ?? 0) > 0 && (verdict?.retryAfterMs ?? 0) <= 2000, true)
      clock.advance(170)
    }
    for (const time of allowed) {
      assert.ok(allowed.filter(other => other >= time && other < time + 2000).length <= 5)
    }
    // 20.4 s with five in every two.
    assert.ok(allowed.length >= 50, String(allowed.length))
  },
)

eachBus(
  'two nodes count posts together, and a refused one does not stay counted on its node',
  async (_t, { nodes, clock }) => {
    const [one, two] = nodes.map(node => createWebhookLimits({ clock: clock.now, shared: node.transient }))
    assert.ok(one && two)
    for (let i = 0; i < 3; i++) assert.equal((await one.hit('1', 'posts')).allowed, true)
    for (let i = 0; i < 2; i++) assert.equal((await two.hit('1', 'posts')).allowed, true)
    const refused = await two.hit('1', 'posts')
    assert.deepEqual([refused.allowed, refused.remaining, refused.retryAfterMs], [false, 0, 2000])
    assert.equal((await two.hit('1', 'edits')).allowed, true)
    clock.advance(2000)
    assert.equal((await two.hit('1', 'posts')).allowed, true)
  },
)

test('where the others cannot be reached each node counts for itself', async () => {
  const away = async () => {
    throw new BusUnavailable()
  }
  const transient: Transient = { get: away, set: away, create: away, update: away, delete: away }
  const clock = createTestClock()
  const limits = createWebhookLimits({ clock: clock.now, shared: transient })
  for (let i = 0; i < 5; i++) assert.equal((await limits.hit('1', 'posts')).allowed, true)
  assert.equal((await limits.hit('1', 'posts')).allowed, false)
})
