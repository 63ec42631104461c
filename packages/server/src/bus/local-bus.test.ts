import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collect } from '@gatehouse/testkit/bus'
import { createTestClock } from '@gatehouse/testkit/clock'
import { RequestTimeout } from './bus.ts'
import { createLocalBus } from './local-bus.ts'
import { createLocalKv } from './local-kv.ts'

test('subscribers receive the same object that was published', async () => {
  const bus = createLocalBus()
  const seen = collect()
  await bus.subscribe('channel.1', seen.handler)
  const message = { deep: {} }
  bus.publish('channel.1', message)
  await seen.upTo(1)
  assert.equal(seen.messages[0], message)
  await bus.close()
})

test('a request times out by the given timers', async () => {
  const { timers, advance, now: clock } = createTestClock()
  const bus = createLocalBus({ clock, timers })
  await bus.respond('app.1', () => new Promise(() => {}))
  const request = bus.request('app.1', 1, 3000)
  const outcome = assert.rejects(request, RequestTimeout)
  advance(3000)
  await outcome
  await bus.close()
})

test('an onError that throws does not stop the bus', async () => {
  const bus = createLocalBus({
    onError: () => {
      throw new Error('onError failed')
    },
  })
  const seen = collect()
  const warned = new Promise(resolve => process.once('warning', resolve))
  await bus.subscribe('channel.1', () => {
    throw new Error('handler failed')
  })
  await bus.subscribe('channel.1', seen.handler)
  bus.publish('channel.1', 1)
  bus.publish('channel.1', 2)
  assert.deepEqual(await seen.upTo(2), [1, 2])
  assert.match(String(await warned), /channel\.1.*handler failed/)
  await bus.close()
})

test('above the maximum number of keys, the oldest keys are dropped', async () => {
  const bus = createLocalBus({ maxEntries: 2 })
  const { kv } = bus
  await kv.set('a', '1', 1000)
  await kv.set('b', '1', 1000)
  await kv.set('a', '2', 1000)
  await kv.create('c', '1', 1000)
  assert.equal(await kv.get('b'), undefined)
  assert.equal((await kv.get('a'))?.value, '2')
  assert.equal((await kv.get('c'))?.value, '1')
  await bus.close()
})

test('many keys of requestKv drop no key of kv', async () => {
  const bus = createLocalBus({ maxEntries: 2 })
  await bus.kv.set('a', '1', 1000)
  for (const key of ['b', 'c', 'd']) await bus.requestKv.set(key, '1', 1000)
  assert.equal((await bus.kv.get('a'))?.value, '1')
  assert.equal(await bus.requestKv.get('b'), undefined)
  await bus.close()
})

test('above the maximum number of characters, the oldest keys are dropped', async () => {
  const bus = createLocalBus({ maxCharacters: 20 })
  const { kv } = bus
  await kv.set('a', 'x'.repeat(9), 1000)
  await kv.set('b', 'x'.repeat(9), 1000)
  const { revision = 0 } = (await kv.get('b')) ?? {}
  assert.equal(await kv.update('b', 'x'.repeat(10), revision), true)
  assert.equal(await kv.get('a'), undefined)
  assert.equal((await kv.get('b'))?.value.length, 10)
  await kv.set('b', 'short', 1000)
  await kv.set('c', 'x'.repeat(12), 1000)
  assert.equal((await kv.get('b'))?.value, 'short')
  await bus.close()
})

test('expired keys are deleted without being read', async () => {
  const { timers, advance, now: clock } = createTestClock()
  const kv = createLocalKv({ clock, timers })
  await kv.set('short', 'v', 1000)
  await kv.set('long', 'v', 60_000)
  assert.equal(kv.size, 2)
  advance(30_000)
  assert.equal(kv.size, 1)
  assert.equal((await kv.get('long'))?.value, 'v')
  await kv.close()
  assert.equal(kv.size, 0)
})
