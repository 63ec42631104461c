import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { createTestClock, type TestClock } from '../kit/testing.ts'
import { type Bus, type BusMessage, BusUnavailable } from './bus.ts'
import { createLocalBus } from './local.ts'
import { connectNatsBus, type NatsBus } from './nats.ts'

export const testNatsUrl = process.env.TEST_NATS_URL ?? 'nats://127.0.0.1:4222'

export interface TestBus {
  /** Two nodes; in one process they are the same bus. */
  nodes: [Bus, Bus]
  clock: TestClock
  /** What was reported, of both nodes. */
  errors: unknown[]
}

/** Runs one test on the bus of one process and on two nodes joined by NATS, as two named tests. */
export function eachBus(name: string, run: (t: TestContext, bus: TestBus) => Promise<void>): void {
  test(`${name} (local)`, async t => {
    const clock = createTestClock()
    const errors: unknown[] = []
    const bus = createLocalBus({ clock: clock.now, onError: error => errors.push(error) })
    t.after(() => bus.close())
    await run(t, { nodes: [bus, bus], clock, errors })
  })
  test(`${name} (nats)`, async t => {
    const opened = await openTestNats(t)
    if (opened) await run(t, opened)
  })
}

/**
 * Two nodes with a prefix of their own, gone after the test. Where NATS does not answer, the test is skipped by name and
 * the result is undefined; with REQUIRE_SERVICES=1 it fails.
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
    t.skip('NATS does not answer')
    return undefined
  }
}

/** By a connection of its own: the test may have closed the others. */
async function removeBucket(prefix: string): Promise<void> {
  const bus = await connectNatsBus(testNatsUrl, { prefix })
  await bus.dropTransient()
  await bus.close()
}

export interface Collected {
  readonly messages: BusMessage[]
  readonly handler: (message: BusMessage) => void
  /** Resolves once that many have arrived. */
  upTo(count: number): Promise<BusMessage[]>
}

/** A subscriber that keeps what it gets. */
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
