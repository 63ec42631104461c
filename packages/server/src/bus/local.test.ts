import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../kit/testing.ts'
import { RequestTimeout } from './bus.ts'
import { createLocalBus } from './local.ts'
import { createLocalTransient } from './local-transient.ts'
import { collect } from './testing.ts'

test('a message arrives as the same object', async () => {
  const bus = createLocalBus()
  const seen = collect()
  await bus.subscribe('channel.1', seen.handler)
  const message = { deep: {} }
  bus.publish('channel.1', message)
  await seen.upTo(1)
  assert.equal(seen.messages[0], message)
  await bus.close()
})

test('a request is given up by the timers that were passed in', async () => {
  const { timers, advance, now: clock } = createTestClock()
  const bus = createLocalBus({ clock, timers })
  await bus.respond('app.1', () => new Promise(() => {}))
  const request = bus.request('app.1', 1, 3000)
  const outcome = assert.rejects(request, RequestTimeout)
  advance(3000)
  await outcome
  await bus.close()
})

test('a report that throws does not stop the bus', async () => {
  const bus = createLocalBus({
    onError: () => {
      throw new Error('the report failed too')
    },
  })
  const seen = collect()
  const warned = new Promise(resolve => process.once('warning', resolve))
  await bus.subscribe('channel.1', () => {
    throw new Error('the handler failed')
  })
  await bus.subscribe('channel.1', seen.handler)
  bus.publish('channel.1', 1)
  bus.publish('channel.1', 2)
  assert.deepEqual(await seen.upTo(2), [1, 2])
  assert.match(String(await warned), /channel\.1.*the handler failed/)
  await bus.close()
})

test('beyond the number of keys, what was set first goes first', async () => {
  const bus = createLocalBus({ maxEntries: 2 })
  const { transient } = bus
  await transient.set('a', '1', 1000)
  await transient.set('b', '1', 1000)
  await transient.set('a', '2', 1000)
  await transient.create('c', '1', 1000)
  assert.equal(await transient.get('b'), undefined)
  assert.equal((await transient.get('a'))?.value, '2')
  assert.equal((await transient.get('c'))?.value, '1')
  await bus.close()
})

test('beyond the number of characters, what was set first goes first', async () => {
  const bus = createLocalBus({ maxCharacters: 20 })
  const { transient } = bus
  await transient.set('a', 'x'.repeat(9), 1000)
  await transient.set('b', 'x'.repeat(9), 1000)
  const { revision = 0 } = (await transient.get('b')) ?? {}
  assert.equal(await transient.update('b', 'x'.repeat(10), revision), true)
  assert.equal(await transient.get('a'), undefined)
  assert.equal((await transient.get('b'))?.value.length, 10)
  await transient.set('b', 'short', 1000)
  await transient.set('c', 'x'.repeat(12), 1000)
  assert.equal((await transient.get('b'))?.value, 'short')
  await bus.close()
})

test('keys whose time is over leave the memory without being asked for', async () => {
  const { timers, advance, now: clock } = createTestClock()
  const transient = createLocalTransient({ clock, timers })
  await transient.set('short', 'v', 1000)
  await transient.set('long', 'v', 60_000)
  assert.equal(transient.size, 2)
  advance(30_000)
  assert.equal(transient.size, 1)
  assert.equal((await transient.get('long'))?.value, 'v')
  transient.close()
  assert.equal(transient.size, 0)
})
