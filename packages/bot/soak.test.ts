import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { join as joinPath } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { installBot } from '@gatehouse/testkit/applications'
import { createClient } from '@gatehouse/testkit/client'
import { startServiceProcess } from '@gatehouse/testkit/service-process'
import { join, type Person } from './soak/person.ts'

const jobs = 1000
// Not measured: processes are slow before their code is compiled.
const warmUp = 250
const parallel = 50
const people = 5
const limitMs = 240_000

interface Named {
  id: string
  name: string
}

interface Shown extends Named {
  content: string
  interaction?: { id: string }
}

/** Starts the service as a process, with a server that has several users and a bot. */
async function setUp(t: TestContext, seen: (interactionId: string) => void) {
  const service = await startServiceProcess()
  t.after(() => service.remove())
  const owner = createClient(service.url)
  const account = { username: 'owner', email: 'owner@example.org', password: 'open-the-gate' }
  await owner.request('POST', '/api/auth/register', account)
  const server = await owner.request<Named>('POST', '/api/servers', { name: 'Harbour' })
  const [channel] = await owner.request<Named[]>('GET', `/api/servers/${server.id}/channels`)
  assert.ok(channel)
  const { token } = await installBot(owner, server.id, { name: 'Echo' })
  const { code } = await owner.request<{ code: string }>('POST', `/api/servers/${server.id}/invites`, {})
  const persons: Person[] = []
  t.after(() => {
    for (const person of persons) person.close()
  })
  for (let number = 1; number <= people; number++) {
    const person = await join(service.url, `person_${number}`, seen)
    persons.push(person)
    await person.json('POST', `/api/invites/${code}`)
  }
  return { service, token, persons, channelId: channel.id }
}

async function startBot(t: TestContext, url: string, token: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [joinPath(import.meta.dirname, 'soak/echo-bot.ts')], {
    env: { ...process.env, GATEHOUSE_URL: url, BOT_TOKEN: token },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  t.after(() => {
    child.kill('SIGKILL')
  })
  assert.ok(child.stdout)
  for await (const line of createInterface(child.stdout)) if (line === 'ready') return child
  return assert.fail('the bot ended')
}

/** Reads all messages of a channel, newest first. */
async function readAll(person: Person, channelId: string): Promise<Shown[]> {
  const all: Shown[] = []
  for (;;) {
    const before = all.length > 0 ? `&before=${all.at(-1)?.id}` : ''
    const page = await person.json<Shown[]>('GET', `/api/channels/${channelId}/messages?limit=100${before}`)
    all.push(...page)
    if (page.length < 100) return all
  }
}

function percentiles(values: number[]): string {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  return `p50 ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms of ${sorted.length}`
}

test('each of 1,000 interactions has exactly one response while the service restarts and a bot is killed', {
  timeout: limitMs,
}, async t => {
  const shownAt = new Map<string, number>()
  const { service, token, persons, channelId } = await setUp(t, id => {
    if (!shownAt.has(id)) shownAt.set(id, performance.now())
  })
  const [first] = [await startBot(t, service.url, token), await startBot(t, service.url, token)]
  const [reader] = persons
  assert.ok(reader)
  const commands = await reader.json<Named[]>('GET', `/api/channels/${channelId}/commands`)
  const commandId = commands.find(({ name }) => name === 'echo')?.id

  /** The period during which each fault can affect interactions. */
  const faults: { from: number; to: number }[] = []
  async function disturb(work: () => Promise<unknown>): Promise<void> {
    const fault = { from: performance.now(), to: Number.POSITIVE_INFINITY }
    faults.push(fault)
    await work()
    // Time for bots and users to reconnect.
    await wait(2000)
    fault.to = performance.now()
  }
  async function restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await service.end(signal)
    await service.start()
  }
  const plan = new Map<number, () => Promise<unknown>>([
    [200, () => restart('SIGTERM')],
    [450, async () => first.kill('SIGKILL')],
    [700, () => restart('SIGKILL')],
  ])
  const disturbances: Promise<void>[] = []
  let done = -warmUp
  let next = 0
  const used: { job: number; id: string; startedAt: number; state: string }[] = []

  /** Uses the command until it has a response, as a user does. Retries of one request have the same nonce. */
  async function runJob(person: Person, job: number): Promise<void> {
    for (let tries = 1; ; tries++) {
      const startedAt = performance.now()
      const { id } = await person.json<Named>('POST', '/api/interactions', {
        type: 'command',
        channelId,
        commandId,
        options: [{ name: 'text', value: `job ${job}` }],
        nonce: `${job}.${tries}`,
      })
      const state = await person.outcome(id)
      used.push({ job, id, startedAt, state })
      if (state === 'answered') return
      await wait(100)
    }
  }
  async function work(person: Person, end: number): Promise<void> {
    while (next < end) {
      await runJob(person, next++)
      const fault = plan.get(++done)
      if (fault) disturbances.push(disturb(fault))
    }
  }
  async function workUpTo(end: number): Promise<void> {
    const workers = persons.flatMap(person => Array.from({ length: parallel / people }, () => person))
    await Promise.all(workers.map(person => work(person, end)))
  }
  await workUpTo(warmUp)
  const began = performance.now()
  await workUpTo(warmUp + jobs)
  const took = performance.now() - began
  await Promise.all(disturbances)

  const messages = await readAll(reader, channelId)
  const answers = Map.groupBy(messages, ({ interaction }) => interaction?.id)
  for (const { id, job, state } of used) {
    const contents = answers.get(id)?.map(({ content }) => content) ?? []
    assert.deepEqual(contents, state === 'answered' ? [`job ${job}`] : [], `${state} of job ${job}`)
  }
  assert.equal(messages.length, warmUp + jobs)
  assert.equal(new Set(messages.map(({ content }) => content)).size, warmUp + jobs)
  assert.equal(faults.length, 3)

  const undisturbed: number[] = []
  const all: number[] = []
  for (const { id, startedAt, state } of used) {
    const at = shownAt.get(id)
    if (state !== 'answered' || at === undefined || startedAt < began) continue
    all.push(at - startedAt)
    if (!faults.some(({ from, to }) => startedAt < to && at > from)) undisturbed.push(at - startedAt)
  }
  const again = used.filter(({ state }) => state !== 'answered')
  const states = Map.groupBy(again, ({ state }) => state)
  t.diagnostic(`command → event → callback → message, undisturbed: ${percentiles(undisturbed)}`)
  t.diagnostic(`all that a socket was told of: ${percentiles(all)}`)
  const counts = [...states].map(([state, of]) => `${state} ${of.length}`).join(', ')
  const repeats = persons.reduce((sum, person) => sum + person.repeats, 0)
  t.diagnostic(
    `${jobs} answered in ${(took / 1000).toFixed(1)} s; ` +
      `used again: ${again.length} (${counts}); sent again: ${repeats}`,
  )
})
