import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient, type TestResponse } from '@gatehouse/testkit/client'
import { addMembers } from '@gatehouse/testkit/fixture'
import { freePort } from '@gatehouse/testkit/free-port'
import {
  createTestGatewayClient,
  type GatewayCredentials,
  type GatewayEvent,
} from '@gatehouse/testkit/gateway-session'
import { startHaproxy, startNginx } from '@gatehouse/testkit/local-servers'
import type { ServerProcess } from '@gatehouse/testkit/server-process'
import { retry } from '@gatehouse/testkit/wait-until'
import { type FaultContext, fault } from './fault.ts'
import { repeatDuring } from './load.ts'
import { rounds } from './settings.ts'
import { createTarget, type Target } from './target.ts'

const deploy = join(import.meta.dirname, '../../deploy')
const members = 10
const connectionsPerMember = 5
const pauseMs = 50
const readyMs = 20_000
const catchUpMs = 20_000

/** Restarts three nodes behind HAProxy, as `restartNodes`. */
fault('rolling', ['PostgreSQL'], 10, 'no request fails, no event is lost', context =>
  restartNodes(context, 'HAProxy', (port, nodePorts) => {
    const nodes = nodePorts.map((nodePort, n) => [`GATEHOUSE_NODE_${n + 1}`, `127.0.0.1:${nodePort}`])
    const env = { GATEHOUSE_ADDRESS: `127.0.0.1:${port}`, ...Object.fromEntries(nodes) }
    return startHaproxy(join(deploy, 'haproxy.cfg'), port, env)
  }),
)

fault('rolling-nginx', ['PostgreSQL'], 10, 'no request fails, no event is lost', context =>
  restartNodes(context, 'nginx', (port, nodePorts) =>
    startNginx(readFileSync(join(deploy, 'nginx.conf'), 'utf8'), port, nodePorts),
  ),
)

/**
 * Restarts three nodes one after the other, under load, behind a load balancer with the configuration of `deploy/`: no
 * request fails, each client gets each message once and in order, and no interaction is lost.
 */
async function restartNodes(
  context: FaultContext,
  balancer: string,
  startBalancer: (port: number, nodePorts: readonly number[]) => Promise<ServerProcess | undefined>,
): Promise<string> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const nodes = await context.startNodes([{}, {}, {}], { BASE_URL: url, TRUST_PROXY: '127.0.0.1' })
  const nodePorts = nodes.map(({ service }) => service.port)
  context.use(balancer, await startBalancer(port, nodePorts))
  const balanced = { ...nodes[0].service, url, client: () => createClient(url) }
  const target = await createTarget(balanced, nodes[0])
  const users = await addMembers(balanced, target, members)
  const clients = users.flatMap(({ client }) =>
    Array.from({ length: connectionsPerMember }, () =>
      connectClient(url, { cookie: client.cookieHeader(), origin: url }),
    ),
  )
  const bot = connectClient(url, { token: target.bot.token }, event => {
    void target.respond(event).catch(() => undefined)
  })
  const all = [...clients, bot]
  context.after(() => {
    for (const client of all) client.close()
  })
  const isReady = () => all.every(({ ready }) => ready === 1)
  await retry(readyMs, () => assert.ok(isReady(), 'a client is not connected'))

  const stops: number[] = []
  async function restart(): Promise<void> {
    for (const node of Array.from({ length: rounds ?? 1 }, () => nodes).flat()) {
      await wait(1000)
      const start = performance.now()
      assert.equal(await node.service.end('SIGTERM'), 0, 'exit code')
      stops.push(performance.now() - start)
      await node.service.start()
      await node.waitUntilReady(readyMs)
    }
    await wait(1000)
  }
  const { failures, requests, messages, interactions } = await sendDuring(restart(), target)
  assert.deepEqual(failures.slice(0, 5), [], `${failures.length} requests failed`)
  const sent = new Set(messages.flat())
  const hasAll = ({ contents }: Client) => sent.isSubsetOf(new Set(contents))
  await retry(catchUpMs, () => assert.ok(clients.every(hasAll), 'a client misses a message'))
  for (const client of clients) {
    assert.equal(client.ready, 1, 'a client identified again')
    for (const contents of messages) {
      const received = client.contents.filter(content => contents.includes(content))
      assert.deepEqual(received, contents, 'a client gets the messages of each sender once and in order')
    }
  }
  assert.equal(bot.ready, 1, 'the bot identified again')
  assert.deepEqual(bot.interactions.toSorted(), interactions.toSorted(), 'interactions of the bot')
  for (const id of interactions) {
    const { body } = await target.readAsUser(`/api/interactions/${id}`)
    assert.equal(body.state, 'answered', `interaction ${id}: ${JSON.stringify(body)}`)
  }
  const resumed = all.reduce((sum, client) => sum + client.resumed, 0)
  const slowest = `${stops.length} restarts, the slowest stop ${Math.round(Math.max(...stops))} ms`
  const events = `${sent.size} messages and ${interactions.length} interactions, each once`
  return `${slowest}; ${requests} requests, none failed; ${all.length} clients, ${resumed} resumes; ${events}`
}

type Client = ReturnType<typeof connectClient>

/** Connects a client that reconnects and resumes, with the delays of the SDK. */
function connectClient(
  url: string,
  credentials: GatewayCredentials,
  onInteraction: (event: GatewayEvent) => void = () => {},
) {
  const received = {
    /** How often it got READY. More than once: it lost its session. */
    ready: 0,
    resumed: 0,
    /** Of the received messages. */
    contents: [] as string[],
    /** The ids of the received interactions. */
    interactions: [] as string[],
    close: () => client.close(),
  }
  const client = createTestGatewayClient<GatewayEvent>(url, credentials, {
    timing: { firstDelayMs: 1000, maxDelayMs: 60_000, helloTimeoutMs: 15_000, restartDelayMs: 2000 },
    onEvent(event) {
      if (event.t === 'READY') received.ready++
      if (event.t === 'RESUMED') received.resumed++
      if (event.t === 'MESSAGE_CREATE') received.contents.push(event.d.content)
      if (event.t !== 'INTERACTION_CREATE') return
      received.interactions.push(event.d.id)
      onInteraction(event)
    },
    onDisconnect() {},
    onAuthenticationFailed: () => assert.fail('authentication failed'),
  })
  client.open()
  return received
}

/** Sends requests through the load balancer until `fault` resolves and all have a response. */
async function sendDuring(fault: Promise<void>, target: Target) {
  const failures: string[] = []
  const interactions: string[] = []
  const [fromUser, fromWebhook]: [string[], string[]] = [[], []]
  let requests = 0

  async function check(expected: number, sending: Promise<TestResponse>): Promise<TestResponse> {
    requests++
    const response = await sending
    assert.equal(response.status, expected, response.text)
    return response
  }
  /** Sends messages one after the other and notes their contents. */
  function post(content: string, contents: string[], status: number, send: typeof target.post) {
    contents.push(content)
    return check(status, send(content))
  }
  const path = `/api/channels/${target.channelId}/messages`
  const work: Record<string, (number: number) => Promise<unknown>> = {
    'message list': () => check(200, target.listMessages()),
    exchange: async () => check(200, target.exchange((await target.authorize()) ?? '')),
    command: async () => interactions.push((await check(202, target.invoke())).body.id),
    user: n => post(`user ${n}`, fromUser, 201, content => target.sendAsUser(path, { content })),
    webhook: n => post(`webhook ${n}`, fromWebhook, 200, target.post),
  }
  const running = Object.entries(work).map(([name, send]) => {
    const note = (error: Error) => failures.push(`${name}: ${error.message} ${error.cause ?? ''}`)
    return repeatDuring(fault, number => send(number).catch(note), pauseMs)
  })
  await Promise.all([fault, ...running])
  return { failures, requests, messages: [fromUser, fromWebhook], interactions }
}
