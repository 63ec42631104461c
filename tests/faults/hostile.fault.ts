import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { maxChannels, maxOverwrites, maxOwnedServers, maxRoles } from '@gatehouse/protocol/limits'
import type { TestResponse } from '@gatehouse/testkit/client'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { addMembers, createFixture } from '@gatehouse/testkit/fixture'
import type { GatewayEvent } from '@gatehouse/testkit/gateway-session'
import { readMemory, readProcessorTime } from '@gatehouse/testkit/service-process'
import { bothEngines, type Fault, type FaultContext } from './fault.ts'
import type { HostileAccount, HostileResult } from './hostile.worker.ts'
import { createTarget, type Target } from './target.ts'
import { formatStatuses } from './workload.ts'

const otherUsers = 50
const attackMs = 60_000
const quietMs = 10_000
const maxP99Ms = 250
const maxMemoryGrowth = 256 * 1024 * 1024

const kinds = ['message', 'button', 'sign-in'] as const
type Kind = (typeof kinds)[number]

/** The duration of a request of the others. */
interface Timing {
  kind: Kind
  ms: number
}

/** One account sends its worst requests without a pause while others chat, press buttons and sign in. */
export const hostileFault: Fault = {
  name: 'hostile',
  invariant: `one hostile account: the p99 of ${otherUsers} others stays below ${maxP99Ms} ms, no 5xx, memory within 256 MiB`,
  engines: bothEngines,
  timeoutMs: 900_000,
  run: measure,
}

async function measure(context: FaultContext): Promise<string> {
  const service = await context.startService()
  const fixture = await createFixture(service)
  const others = await addMembers(service, fixture, otherUsers)
  const account = await createHostileAccount(await createTarget(context, service, fixture))
  await service.end('SIGTERM')
  const limited = await context.startService({
    folder: service.folder,
    port: service.port,
    // Log lines of each response would take much of the time of the service.
    env: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'info' },
  })
  const target = await createTarget(context, limited, fixture)
  const bot = await target.connectBot()
  let isOver = false
  const responses: Promise<void>[] = []
  const receiving = (async () => {
    while (!isOver) {
      const event = await bot.next('INTERACTION_CREATE')
      if (event) responses.push(acknowledge(target, event))
    }
  })()
  const button = await sendButton(target)
  const community = startCommunity(target, others, button)

  const readBusy = createBusyMeter(limited.pid())
  await wait(quietMs)
  const quiet = community.takeDurations()
  const quietBusy = readBusy()
  const memoryBefore = readMemory(limited.pid())
  const worker = new Worker(new URL('hostile.worker.ts', import.meta.url), { workerData: account })
  context.after(() => worker.terminate())
  const result = new Promise<HostileResult>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject)
  })
  let memoryPeak = memoryBefore
  const end = performance.now() + (context.short ? attackMs / 4 : attackMs)
  while (performance.now() < end) {
    await wait(500)
    memoryPeak = Math.max(memoryPeak, readMemory(limited.pid()))
  }
  const attacked = community.takeDurations()
  const attackedBusy = readBusy()
  worker.postMessage('stop')
  const statuses = new Map(Object.entries(await result).map(([status, count]) => [Number(status), count]))
  await community.stop()
  isOver = true
  bot.close()
  await receiving
  await Promise.all(responses)

  const hostile = formatStatuses(statuses)
  assert.deepEqual(
    [...statuses.keys()].filter(status => status >= 500),
    [],
    `5xx: ${hostile}`,
  )
  assert.ok((statuses.get(429) ?? 0) > 0, `no request was limited: ${hostile}`)
  const growth = memoryPeak - memoryBefore
  const summary = [
    `others: p99 ${percentile99(quiet)} ms, under attack ${percentile99(attacked)} ms of ${attacked.length}`,
    ...kinds.map(kind => `${kind} ${percentile99(attacked.filter(timing => timing.kind === kind))} ms`),
    `the service used ${quietBusy} % of a core, under attack ${attackedBusy} %`,
    `memory + ${Math.round(growth / 1024 / 1024)} MiB`,
    `hostile account: ${hostile}`,
  ].join(', ')
  assert.ok(percentile99(attacked) < maxP99Ms, summary)
  assert.ok(growth < maxMemoryGrowth, summary)
  return summary
}

/** Registers an account that is at its caps, with a server at its caps. Requires `RATE_LIMITS=off`. */
async function createHostileAccount({
  service,
  user,
  serverId,
  channelId,
  bot,
}: Target): Promise<HostileAccount> {
  const mallory = await register(service, 'mallory')
  const { code } = await user.client.request<{ code: string }>('POST', `/api/servers/${serverId}/invites`, {})
  await mallory.client.request('POST', `/api/invites/${code}`)
  const post = <T>(path: string, body: object) => mallory.client.request<T>('POST', path, body)
  const { server, general } = await createServer(mallory)
  for (let i = 1; i < maxOwnedServers; i++) await post('/api/servers', { name: `Server ${i}` })
  const roles: { id: string }[] = []
  for (let i = 1; i < maxRoles; i++) {
    roles.push(await post(`/api/servers/${server.id}/roles`, { name: `Role ${i}`, permissions: '1024' }))
  }
  for (let i = 1; i < maxChannels; i++) await post(`/api/servers/${server.id}/channels`, { name: `c${i}` })
  for (const { id } of roles.slice(0, maxOverwrites)) {
    const overwrite = { type: 'role', allow: '0', deny: '1024' }
    await mallory.client.request('PUT', `/api/channels/${general.id}/overwrites/${id}`, overwrite)
    await mallory.client.request('PUT', `/api/servers/${server.id}/members/${mallory.id}/roles/${id}`)
  }
  const webhook = await post<{ url: string }>(`/api/channels/${general.id}/webhooks`, { name: 'Alerts' })
  return {
    url: service.url,
    cookie: mallory.client.cookieHeader(),
    ip: '192.0.2.1',
    channelId,
    commandId: bot.commandId,
    serverId: server.id,
    ownChannelId: general.id,
    roleId: roles[0]?.id ?? '',
    webhookPath: new URL(webhook.url).pathname,
    login: mallory.username,
    password: mallory.password,
  }
}

/** The bot sends a message with a button. Returns the body of a request that presses it. */
async function sendButton({ sendAsBot, channelId }: Target): Promise<object> {
  const components = [
    { type: 'row', components: [{ type: 'button', style: 'primary', label: 'Press', customId: 'press' }] },
  ]
  const response = await sendAsBot(`/api/channels/${channelId}/messages`, { content: 'Press', components })
  assert.equal(response.status, 201, response.text)
  return { type: 'component', channelId, messageId: response.body.id, customId: 'press' }
}

/** The bot responds to each command with a message and acknowledges each button. */
async function acknowledge({ sendAsBot }: Target, { d }: GatewayEvent): Promise<void> {
  const body = d.type === 'command' ? { type: 'message', data: { content: 'Response' } } : { type: 6 }
  const response = await sendAsBot(`/api/interactions/${d.id}/${d.token}/callback`, body)
  assert.equal(response.status, 200, response.text)
}

/** Each user sends a message every 3 s, presses the button every 6 s and signs in every 30 s, from an own IP address. */
function startCommunity({ channelId }: Target, users: readonly TestUser[], button: object) {
  let durations: Timing[] = []
  let isOver = false

  async function timed(kind: Kind, expected: number, request: Promise<TestResponse>): Promise<void> {
    const start = performance.now()
    const { status, text } = await request
    durations.push({ kind, ms: performance.now() - start })
    assert.equal(status, expected, text)
  }

  async function runUser({ client, username, password }: TestUser, index: number): Promise<void> {
    const headers = { 'x-forwarded-for': `198.51.100.${index + 1}` }
    const post = (path: string, body: object) => client.json('POST', path, body, headers)
    await wait((3000 * index) / users.length)
    for (let round = index; !isOver; round++) {
      await timed(
        'message',
        201,
        post(`/api/channels/${channelId}/messages`, { content: `Message ${round}` }),
      )
      if (round % 2 === 0) await timed('button', 202, post('/api/interactions', button))
      if (round % 10 === 0)
        await timed('sign-in', 200, post('/api/auth/login', { login: username, password }))
      await wait(3000)
    }
  }

  const running = Promise.all(users.map(runUser))
  return {
    takeDurations() {
      const taken = durations
      durations = []
      return taken
    },
    async stop() {
      isOver = true
      await running
    },
  }
}

/** Returns the percentage of one core that the process has used since the last call. On a busy machine it tells more than times. */
function createBusyMeter(pid: number): () => number {
  let [cpu, time] = [readProcessorTime(pid), performance.now()]
  return () => {
    const [lastCpu, lastTime] = [cpu, time]
    cpu = readProcessorTime(pid)
    time = performance.now()
    return Math.round(((cpu - lastCpu) * 100_000) / (time - lastTime))
  }
}

function percentile99(timings: readonly Timing[]): number {
  const sorted = timings.map(({ ms }) => ms).toSorted((a, b) => a - b)
  return Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN)
}
