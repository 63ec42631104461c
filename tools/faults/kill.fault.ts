import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { GatewayEvent } from '@gatehouse/testkit/gateway-session'
import fc from 'fast-check'
import { bothEngines, type Fault } from './fault.ts'
import { assertNoneLost, createTarget, type Target } from './target.ts'

const workers = 8

/** The successful operations of a round, which must persist after the restart. */
interface Operations {
  messages: string[]
  usedCodes: string[]
  usedRefreshTokens: string[]
  /** Access tokens that are still valid. */
  accessTokens: string[]
  callbacks: GatewayEvent[]
}

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
      const operations: Operations = {
        messages: [],
        usedCodes: [],
        usedRefreshTokens: [],
        accessTokens: [],
        callbacks: [],
      }
      const load = Promise.all([
        ...Array.from({ length: workers }, (_, worker) =>
          repeat(number => post(target, operations, `round ${round} worker ${worker} message ${number}`)),
        ),
        ...Array.from({ length: workers }, () => repeat(() => signIn(target, operations))),
        repeat(() => interact(target, operations)),
      ])
      await wait(delayMs)
      await service.end('SIGKILL')
      await load
      await service.start()
      await assertDurable(target, operations)
      messages.push(...operations.messages)
      for (const [name, { length }] of Object.entries(operations))
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

async function post(target: Target, { messages }: Operations, content: string): Promise<void> {
  const { status, text } = await target.post(content)
  assert.equal(status, 200, text)
  messages.push(content)
}

async function signIn(target: Target, operations: Operations): Promise<void> {
  const code = (await target.authorize()) ?? ''
  const issued = await target.exchange(code)
  assert.equal(issued.status, 200, issued.text)
  operations.usedCodes.push(code)
  // If this refresh fails, it may have been committed, so the first access token is not checked.
  const refreshed = await target.refresh(issued.body.refresh_token)
  assert.equal(refreshed.status, 200, refreshed.text)
  operations.usedRefreshTokens.push(issued.body.refresh_token)
  operations.accessTokens.push(refreshed.body.access_token)
  assert.notEqual(issued.body.access_token, refreshed.body.access_token)
}

async function interact(target: Target, { callbacks }: Operations): Promise<void> {
  const session = await target.connectBot()
  await repeat(async () => {
    const { status } = await target.invoke()
    const event = status === 202 ? await session.next('INTERACTION_CREATE') : undefined
    if (event === undefined) throw new Error('the bot is not connected')
    const response = await target.respond(event)
    assert.equal(response.status, 200, response.text)
    callbacks.push(event)
  })
  session.close()
}

async function assertDurable(target: Target, operations: Operations): Promise<void> {
  await assertNoneLost(target, operations.messages)
  for (const token of operations.accessTokens)
    assert.equal((await target.userinfo(token)).status, 200, 'an access token is missing')
  for (const event of operations.callbacks) assert.equal((await target.respond(event)).status, 409)
  for (const token of operations.usedRefreshTokens) assert.equal((await target.refresh(token)).status, 400)
  for (const code of operations.usedCodes) assert.equal((await target.exchange(code)).status, 400)
}
