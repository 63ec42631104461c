import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '@gatehouse/testkit/clock'
import { type Bus, NoResponders, ResponderFailed } from './bus.ts'
import { createLocalBus } from './local-bus.ts'
import { joinNodes, type NodeEnd } from './nodes.ts'

/** Nodes on one bus. Each has timers of its own, so that a node whose clock stands still is a node that died. */
function setUp() {
  const clock = createTestClock()
  const bus = createLocalBus({ clock: clock.now, timers: clock.timers, onError() {} })
  const clocks: ReturnType<typeof createTestClock>[] = []
  return {
    bus,
    async join(on: Bus = bus) {
      const own = createTestClock()
      clocks.push(own)
      const node = await joinNodes(on, own.timers)
      const ends: [string, NodeEnd][] = []
      node.onEnd((other, end) => ends.push([other, end]))
      await nextTick()
      return { ...node, clock: own, ends }
    },
    /** Lets time pass for these nodes. */
    async advance(ms: number, ...nodes: { clock: ReturnType<typeof createTestClock> }[]) {
      for (let passed = 0; passed < ms; passed += 100) {
        for (const { clock } of nodes) clock.advance(100)
        await nextTick()
      }
    },
  }
}

const nextTick = () => new Promise(resolve => setImmediate(resolve))

test('notices within 0.8 s that a node died, and no other node', async () => {
  const { join, advance } = setUp()
  const [a, b, c] = [await join(), await join(), await join()]
  await advance(2000, a, b, c)
  assert.deepEqual([a.ends, b.ends, c.ends], [[], [], []])
  await advance(800, a, b)
  assert.deepEqual([a.ends, b.ends], [[[c.self, 'lost']], [[c.self, 'lost']]])
  await advance(2000, a, b)
  assert.equal(a.ends.length, 1)
})

test('a node that was only slow is known again', async () => {
  const { join, advance } = setUp()
  const [a, b] = [await join(), await join()]
  await advance(1000, a)
  assert.equal(a.neighbour(), undefined)
  await advance(400, a, b)
  assert.equal(a.neighbour(), b.self)
})

test('after a pause of its own process, a node does not take the others for dead', async () => {
  const { join, advance } = setUp()
  const [a, b] = [await join(), await join()]
  // All timers that are due run before the messages that arrived in the meantime.
  a.clock.advance(10_000)
  await advance(2000, a, b)
  assert.deepEqual(a.ends, [])
})

test('while the bus does not return the own heartbeats, no node is taken for dead', async () => {
  const { bus, join, advance } = setUp()
  let isFrozen = false
  const b = await join()
  const a = await join({
    ...bus,
    publish: (subject, message) => isFrozen || bus.publish(subject, message),
  })
  isFrozen = true
  await advance(5000, a)
  assert.deepEqual(a.ends, [])
  assert.equal(a.neighbour(), b.self)
})

test('a node that stops tells the others at once', async () => {
  const { join } = setUp()
  const [a, b] = [await join(), await join()]
  b.close()
  await nextTick()
  assert.deepEqual(a.ends, [[b.self, 'stopped']])
  assert.equal(a.neighbour(), undefined)
})

test('a message reaches only the node that it is for', async () => {
  const { join } = setUp()
  const [a, b, c] = [await join(), await join(), await join()]
  const received: unknown[] = []
  b.onMessage(message => received.push(message))
  c.onMessage(() => assert.fail('for another node'))
  a.send(b.self, 'hello')
  await nextTick()
  assert.deepEqual(received, ['hello'])
})

test('a request reaches only the node that it is for, and fails if the node ended or does not respond', async () => {
  const { join } = setUp()
  const [a, b, c] = [await join(), await join(), await join()]
  b.onRequest(async message => [message, b.self])
  assert.deepEqual(await a.request(b.self, 'hello', 1000), ['hello', b.self])
  await assert.rejects(a.request(c.self, 'hello', 1000), ResponderFailed)
  b.close()
  await assert.rejects(a.request(b.self, 'hello', 1000), NoResponders)
})

test('a lost node counts for two minutes, because it may only be slow; a stopped node does not', async () => {
  const { join, advance } = setUp()
  const [a, b, c] = [await join(), await join(), await join()]
  assert.deepEqual(a.others(), [b.self, c.self])
  c.close()
  await nextTick()
  assert.deepEqual(a.others(), [b.self])
  await advance(119_000, a)
  assert.deepEqual([a.others(), a.neighbour()], [[b.self], undefined])
  await advance(2000, a)
  assert.deepEqual(a.others(), [])
})

test('each node has one of the others as its neighbour', async () => {
  const { join } = setUp()
  const nodes = [await join(), await join(), await join()]
  const neighbours = nodes.map(node => node.neighbour())
  assert.deepEqual(neighbours.toSorted(), nodes.map(({ self }) => self).toSorted())
})
