import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { fieldOf, makeCommunity } from './community.ts'
import type { Fault, Trial } from './fault.ts'
import { connectBot, connectPerson, useCommand } from './interaction.ts'
import { startOwnPostgres } from './servers.ts'

const count = 2000
/** Time between two interactions. Shorter pauses overload a small machine. */
const pauseMs = 20
const limitMs = 250
/** Shorter than the interval of the sweep (one minute), which would hide an update that the timer missed. */
const updateTimeoutMs = 10_000

/** A bot that receives every interaction and responds to none. */
export const deadlinesFault: Fault = {
  name: 'deadlines',
  holds: `each of ${count} interactions without a response times out within ${limitMs} ms of its deadline`,
  limitMs: 360_000,
  async run(trial) {
    const results = [`SQLite: ${await measureTimeouts(trial, {})}`]
    const postgres = await startOwnPostgres()
    if (postgres === undefined) results.push('PostgreSQL: not installed')
    else {
      trial.after(() => postgres.remove())
      results.push(`PostgreSQL: ${await measureTimeouts(trial, { DATABASE_URL: postgres.url })}`)
    }
    return results.join('; ')
  },
}

async function measureTimeouts(trial: Trial, env: Record<string, string>): Promise<string> {
  const community = await makeCommunity(trial, await trial.start({ env }))
  const bot = await connectBot(community)
  const user = await connectPerson(community)
  const interactionCount = trial.short ? count / 10 : count
  const deadlines = new Map<string, number>()
  const requests: Promise<void>[] = []
  // The largest timer delay of this process. On a busy machine the service has similar delays.
  let stalledMs = 0
  for (let n = 0; n < interactionCount; n++) {
    requests.push(
      useCommand(community).then(reply => {
        assert.equal(reply.status, 202, reply.text)
        deadlines.set(fieldOf(reply, 'id'), Date.parse(fieldOf(reply, 'deadlineAt')))
      }),
    )
    const start = performance.now()
    await wait(pauseMs)
    stalledMs = Math.max(stalledMs, Math.round(performance.now() - start - pauseMs))
  }
  await Promise.all(requests)
  await wait(Math.max(...deadlines.values()) + limitMs - Date.now())
  const waitEnd = performance.now() + updateTimeoutMs
  const updates = () => user.frames.filter(({ t }) => t === 'INTERACTION_UPDATE')
  while (updates().length < interactionCount && performance.now() < waitEnd) await wait(50)
  const delays = updates().map(({ d, at }) => at - (deadlines.get(d?.id ?? '') ?? 0))
  bot.close()
  user.close()
  assert.equal(delays.length, interactionCount, `${interactionCount - delays.length} updates are missing`)
  const late = delays.filter(delay => delay > limitMs)
  const timerDelay = `timer delay of this process: up to ${stalledMs} ms`
  assert.equal(late.length, 0, `${late.length} updates were later than ${limitMs} ms; ${timerDelay}`)
  assert.ok(Math.min(...delays) >= 0, 'an update was sent before its deadline')
  return `${interactionCount} updates, the latest after ${Math.max(...delays)} ms (${timerDelay})`
}
