import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { bothEngines, type Fault, type FaultContext } from './fault.ts'
import { createTarget } from './target.ts'

const count = 2000
/** Time between two interactions. Shorter pauses overload a small machine. */
const pauseMs = 20
const maxDelayMs = 250
/** Shorter than the interval of the sweep (one minute), which would hide an update that the timer missed. */
const updateTimeoutMs = 10_000

/** A bot that receives every interaction and responds to none. */
export const deadlinesFault: Fault = {
  name: 'deadlines',
  invariant: `each of ${count} interactions without a response times out within ${maxDelayMs} ms of its deadline`,
  engines: bothEngines,
  timeoutMs: 360_000,
  run: measureTimeouts,
}

async function measureTimeouts(context: FaultContext): Promise<string> {
  const target = await createTarget(context, await context.startService())
  const bot = await target.connectBot()
  const user = await target.connectUser()
  const interactionCount = context.short ? count / 10 : count
  const deadlines = new Map<string, number>()
  const requests: Promise<void>[] = []
  // The largest timer delay of this process. On a busy machine the service has similar delays.
  let timerDelayMs = 0
  for (let number = 0; number < interactionCount; number++) {
    requests.push(
      target.invoke().then(({ status, text, body }) => {
        assert.equal(status, 202, text)
        deadlines.set(body.id, Date.parse(body.deadlineAt))
      }),
    )
    const start = performance.now()
    await wait(pauseMs)
    timerDelayMs = Math.max(timerDelayMs, Math.round(performance.now() - start - pauseMs))
  }
  await Promise.all(requests)
  await wait(Math.max(...deadlines.values()) + maxDelayMs - Date.now())
  const timeout = performance.now() + updateTimeoutMs
  const updates = () => user.events.filter(({ t }) => t === 'INTERACTION_UPDATE')
  while (updates().length < interactionCount && performance.now() < timeout) await wait(50)
  const delays = updates().map(({ d, receivedAt }) => receivedAt - (deadlines.get(d.id) ?? 0))
  bot.close()
  user.close()
  assert.equal(delays.length, interactionCount, `${interactionCount - delays.length} updates are missing`)
  const late = delays.filter(delay => delay > maxDelayMs)
  const timerDelay = `timer delay of this process: up to ${timerDelayMs} ms`
  assert.equal(late.length, 0, `${late.length} updates were later than ${maxDelayMs} ms; ${timerDelay}`)
  assert.ok(Math.min(...delays) >= 0, 'an update was sent before its deadline')
  return `${interactionCount} updates, the latest after ${Math.max(...delays)} ms (${timerDelay})`
}
