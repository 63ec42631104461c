import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { type Bus, type BusMessage, BusUnavailable } from '../../server/src/bus/bus.ts'
import { createLocalBus } from '../../server/src/bus/local-bus.ts'
import { connectNatsBus, type NatsBus } from '../../server/src/bus/nats/nats-bus.ts'
import type { Timers } from '../../server/src/kit/clock.ts'
import { createTestClock, type TestClock } from './clock.ts'

export const testNatsUrl = process.env.TEST_NATS_URL ?? 'nats://127.0.0.1:4222'

export interface TestBus {
  /** Two nodes. For the local bus, both are the same object. */
  nodes: [Bus, Bus]
  clock: TestClock
  /** The errors of both nodes. */
  errors: unknown[]
}

/** Timers that keep the process alive: a test may wait for nothing else. */
const timers: Timers = {
  after(ms, f) {
    const handle = setTimeout(f, ms)
    return { cancel: () => clearTimeout(handle) }
  },
}

/** Declares one test for the local bus and one for two nodes with NATS. */
export function eachBus(name: string, run: (t: TestContext, bus: TestBus) => Promise<void>): void {
  test(`${name} (local)`, async t => {
    const clock = createTestClock()
    const errors: unknown[] = []
    const bus = createLocalBus({ clock: clock.now, timers, onError: error => errors.push(error) })
    t.after(() => bus.close())
    await run(t, { nodes: [bus, bus], clock, errors })
  })
  test(`${name} (nats)`, async t => {
    const bus = await openTestNats(t)
    if (bus) await run(t, bus)
  })
}

/**
 * Connects two nodes with a new prefix and closes them after the test. If NATS is not reachable, skips the test and
 * returns undefined; with REQUIRE_SERVICES=1, throws.
 */
export async function openTestNats(
  t: TestContext,
): Promise<(TestBus & { nodes: [NatsBus, NatsBus]; prefix: string }) | undefined> {
  const clock = createTestClock()
  const errors: unknown[] = []
  const prefix = `test-${randomBytes(6).toString('hex')}`
  const options = { clock: clock.now, prefix, onError: (error: unknown) => errors.push(error) }
  try {
    const nodes: [NatsBus, NatsBus] = [
      await connectNatsBus(testNatsUrl, options),
      await connectNatsBus(testNatsUrl, options),
    ]
    t.after(async () => {
      await Promise.all(nodes.map(node => node.close()))
      await removeBucket(prefix)
    })
    return { nodes, clock, errors, prefix }
  } catch (error) {
    if (!(error instanceof BusUnavailable) || process.env.REQUIRE_SERVICES === '1') throw error
    t.skip('NATS is not reachable')
    return undefined
  }
}

/** Uses a new connection because the test may have closed the others. */
async function removeBucket(prefix: string): Promise<void> {
  const bus = await connectNatsBus(testNatsUrl, { prefix })
  await bus.dropKv()
  await bus.close()
}

export interface Collected {
  readonly messages: BusMessage[]
  readonly handler: (message: BusMessage) => void
  /** Resolves when `count` messages have arrived. */
  upTo(count: number): Promise<BusMessage[]>
}

/** Creates a subscriber that records messages. */
export function collect(): Collected {
  const messages: BusMessage[] = []
  let waiting: { count: number; resolve: (messages: BusMessage[]) => void }[] = []
  return {
    messages,
    handler(message) {
      messages.push(message)
      const reached = waiting.filter(({ count }) => messages.length >= count)
      waiting = waiting.filter(waiter => !reached.includes(waiter))
      for (const { resolve } of reached) resolve(messages)
    },
    upTo(count) {
      if (messages.length >= count) return Promise.resolve(messages)
      return new Promise(resolve => waiting.push({ count, resolve }))
    },
  }
}

export { MAX_TTL_MS } from '../../server/src/bus/bus.ts'
export { subjects } from '../../server/src/events/gateway-events.ts'
export { type Bus, BusUnavailable, connectNatsBus }
