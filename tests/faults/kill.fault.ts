import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { TestResponse } from '@gatehouse/testkit/client'
import fc from 'fast-check'
import { bothEngines, type Fault } from './fault.ts'
import { assertOnce, createOperations, type Operations, signIn, useCommand } from './operations.ts'
import { assertNoneLost, createTarget, type Target } from './target.ts'

const workers = 8

/** Kills the service with SIGKILL under load and restarts it, in several rounds. */
export const killFault: Fault = {
  name: 'kill',
  invariant: 'no successful operation is lost; no code, refresh token or callback succeeds twice',
  engines: bothEngines,
  timeoutMs: 900_000,
  async run(context) {
    const rounds = context.rounds ?? (context.short ? 5 : 50)
    const service = await context.startService()
    const target = await createTarget(context, service)
    const messages: string[] = []
    const totals = new Map<string, number>()
    const delays = fc.sample(fc.integer({ min: 200, max: 1000 }), { seed: context.seed, numRuns: rounds })
    for (const [round, delayMs] of delays.entries()) {
      const operations = createOperations()
      const posted: string[] = []
      const load = Promise.all([
        ...Array.from({ length: workers }, (_, worker) =>
          repeat(number => post(target, posted, `round ${round} worker ${worker} message ${number}`)),
        ),
        ...Array.from({ length: workers }, () => repeat(() => signIn(target, operations, isSuccess))),
        repeat(() => interact(target, operations)),
      ])
      await wait(delayMs)
      await service.end('SIGKILL')
      await load
      await service.start()
      await assertNoneLost(target, posted)
      await assertOnce(target, operations)
      messages.push(...posted)
      for (const [name, { length }] of Object.entries({ messages: posted, ...operations }))
        totals.set(name, (totals.get(name) ?? 0) + length)
    }
    // Later kills must not lose messages of earlier rounds.
    await assertNoneLost(target, messages)
    assert.ok(Math.min(...totals.values()) > 0, 'no load')
    return `${rounds} rounds: ${[...totals].map(([name, count]) => `${count} ${name}`).join(', ')}`
  },
}

/** Repeats `f` until it fails. The outcome of a request without a response is unknown, so it is not checked. */
async function repeat(f: (number: number) => Promise<void>): Promise<void> {
  try {
    for (let number = 0; ; number++) await f(number)
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
  }
}

/** Before the kill each response is a success. */
function isSuccess({ status, text }: TestResponse): boolean {
  assert.equal(status, 200, text)
  return true
}

async function post(target: Target, posted: string[], content: string): Promise<void> {
  isSuccess(await target.post(content))
  posted.push(content)
}

async function interact(target: Target, operations: Operations): Promise<void> {
  const session = await target.connectBot()
  await repeat(async () => {
    const isConnected = await useCommand(target, session, operations, isSuccess)
    if (!isConnected) throw new Error('the bot is not connected')
  })
  session.close()
}
