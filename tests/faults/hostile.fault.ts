import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { maxChannels, maxOverwrites, maxOwnedServers, maxRoles } from '@gatehouse/protocol/limits'
import { installBot } from '@gatehouse/testkit/applications'
import type { TestResponse } from '@gatehouse/testkit/client'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { addMembers } from '@gatehouse/testkit/fixture'
import { readMemory, readProcessorTime } from '@gatehouse/testkit/service-process'
import { bothEngines, fault } from './fault.ts'
import { formatStatuses, repeatDuring } from './load.ts'
import { secretPattern, short } from './settings.ts'
import { connectRespondingBot, createTarget, type Target } from './target.ts'

const otherUsers = 50
/** The channels that have the overwrites of the category of the hostile account. */
const syncedChannels = 300
const attackMs = 60_000
const quietMs = 10_000
const maxP99Ms = 250
const maxMemoryGrowth = 256 * 2 ** 20

type Kind = 'message' | 'button' | 'sign-in'

/** What the hostile account attacks with. */
export type HostileAccount = Awaited<ReturnType<typeof createHostileAccount>>

/** The number of responses to the hostile account, by status. 0: the connection was refused. */
export type HostileResult = ReadonlyMap<number, number>

/** One account sends its worst requests without a pause while 50 others chat, press buttons and sign in. */
fault('hostile', bothEngines, 15, 'p99 of others below 250 ms, memory within 256 MiB', async context => {
  const unlimited = await context.startTarget()
  const { folder, port } = unlimited.service
  const others = await addMembers(unlimited.service, unlimited, otherUsers)
  const account = await createHostileAccount(unlimited)
  await unlimited.service.end('SIGTERM')
  // Log lines of each response would take much of the time of the service.
  const env = { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'info' }
  const service = await context.startService({ folder, port, env })
  const target = await createTarget(service, unlimited)
  const bot = await connectRespondingBot(target, async ({ d }) => {
    const body = d.type === 'command' ? { type: 'message', data: { content: 'Response' } } : { type: 6 }
    const response = await target.sendAsBot(`/api/interactions/${d.id}/${d.token}/callback`, body)
    assert.equal(response.status, 200, response.text)
  })
  const button = await sendButton(target)
  const over = Promise.withResolvers<void>()
  let timings: Timing[] = []
  const community = others.map((user, n) =>
    runUser(user, n, target.channelId, button, over.promise, timing => timings.push(timing)),
  )

  const readBusy = createBusyMeter(service.pid())
  await wait(quietMs)
  const [quiet, quietBusy] = [timings, readBusy()]
  timings = []
  const memoryBefore = readMemory(service.pid())
  const worker = new Worker(new URL('hostile.worker.ts', import.meta.url), { workerData: account })
  context.after(() => worker.terminate())
  const result = new Promise<HostileResult>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject)
  })
  let memoryPeak = memoryBefore
  for (const end = performance.now() + (short ? attackMs / 4 : attackMs); performance.now() < end; ) {
    await wait(500)
    memoryPeak = Math.max(memoryPeak, readMemory(service.pid()))
  }
  const [attacked, attackedBusy] = [timings, readBusy()]
  worker.postMessage('stop')
  const statuses = await result
  over.resolve()
  await Promise.all(community)
  await bot.close()

  const growth = memoryPeak - memoryBefore
  const p99 = percentile99(attacked)
  const kinds = ['message', 'button', 'sign-in'].map(
    kind => `${kind} ${percentile99(attacked.filter(timing => timing.kind === kind))} ms`,
  )
  const summary = [
    `others: p99 ${percentile99(quiet)} ms, under attack ${p99} ms of ${attacked.length}`,
    ...kinds,
    `the service used ${quietBusy} % of a core, under attack ${attackedBusy} %`,
    `memory + ${Math.round(growth / 2 ** 20)} MiB`,
    `hostile account: ${formatStatuses(statuses)}`,
  ].join(', ')
  assert.ok(!statuses.keys().some(status => status >= 500), `5xx: ${summary}`)
  assert.ok(statuses.has(429), `no request was limited: ${summary}`)
  assert.ok(p99 < maxP99Ms, summary)
  assert.ok(growth < maxMemoryGrowth, summary)
  return summary
})

/** Registers an account that is at its caps, with a server at its caps. Requires `RATE_LIMITS=off`. */
async function createHostileAccount({ service, user, serverId, channelId, bot }: Target) {
  const mallory = await register(service, 'mallory')
  const { client, username: login, password } = mallory
  assert.match(password, secretPattern)
  const send = <T = { id: string }>(method: string, path: string, body?: object) =>
    client.request<T>(method, path, body)
  const { code } = await user.client.request<{ code: string }>('POST', `/api/servers/${serverId}/invites`, {})
  await send('POST', `/api/invites/${code}`)
  const { server, general } = await createServer(mallory)
  const [own, ownChannel] = [`/api/servers/${server.id}`, `/api/channels/${general.id}`]
  const roles: { id: string }[] = []
  for (let i = 1; i < maxOwnedServers; i++) await send('POST', '/api/servers', { name: `Server ${i}` })
  // One more is the role of the bot.
  for (let i = 2; i < maxRoles; i++)
    roles.push(await send('POST', `${own}/roles`, { name: `Role ${i}`, permissions: '1024' }))
  const category = await send('POST', `${own}/channels`, { name: 'category', type: 'category' })
  for (let i = 2; i < maxChannels; i++) {
    const parent = i <= syncedChannels ? { parentId: category.id } : {}
    await send('POST', `${own}/channels`, { name: `c${i}`, ...parent })
  }
  for (const { id } of roles.slice(0, maxOverwrites)) {
    await send('PUT', `${ownChannel}/overwrites/${id}`, { type: 'role', allow: '0', deny: '1024' })
    await send('PUT', `${own}/members/${mallory.id}/roles/${id}`)
  }
  const mallorysBot = await installBot(client, server.id)
  const webhook = await send<{ url: string }>('POST', `${ownChannel}/webhooks`, { name: 'Alerts' })
  return {
    url: service.url,
    cookie: client.cookieHeader(),
    /** A channel that the others use. */
    channelId,
    commandId: bot.commandId,
    /** Its bot, on its own server. */
    bot: mallorysBot,
    /** Its own server at the caps. */
    serverId: server.id,
    ownChannelId: general.id,
    categoryId: category.id,
    roleId: roles[0]?.id ?? '',
    webhookPath: new URL(webhook.url).pathname,
    login,
    password,
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

/** The duration of a request of the others. */
interface Timing {
  kind: Kind
  ms: number
}

/** Sends a message every 3 s, presses the button every 6 s and signs in every 30 s, from an IP address of its own. */
async function runUser(
  { client, username, password }: TestUser,
  index: number,
  channelId: string,
  button: object,
  over: Promise<void>,
  onTiming: (timing: Timing) => void,
): Promise<void> {
  const headers = { 'x-forwarded-for': `198.51.100.${index + 1}` }
  async function post(kind: Kind, expected: number, path: string, body: object): Promise<void> {
    const start = performance.now()
    const { status, text }: TestResponse = await client.json('POST', path, body, headers)
    onTiming({ kind, ms: performance.now() - start })
    assert.equal(status, expected, text)
  }
  await wait((3000 * index) / otherUsers)
  await repeatDuring(
    over,
    async number => {
      const round = index + number
      await post('message', 201, `/api/channels/${channelId}/messages`, { content: `Message ${round}` })
      if (round % 2 === 0) await post('button', 202, '/api/interactions', button)
      if (round % 10 === 0) await post('sign-in', 200, '/api/auth/login', { login: username, password })
    },
    3000,
  )
}

/**
 * Returns the percentage of a core that the process used since the last call. On a busy machine it tells more than
 * times.
 */
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
