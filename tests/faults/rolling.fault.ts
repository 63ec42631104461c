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
import { type LocalServer, startHaproxy, startNats, startNginx } from '@gatehouse/testkit/local-servers'
import type { ServiceProcess } from '@gatehouse/testkit/service-process'
import type { Fault, FaultContext } from './fault.ts'
import { createTarget, type Target } from './target.ts'

const deploy = join(import.meta.dirname, '../../deploy')
const members = 10
const connectionsPerMember = 5
const pauseMs = 50
const readyMs = 20_000
const catchUpMs = 20_000

/** Starts a load balancer with the configuration of `deploy/`. Undefined if it is not installed. */
type StartBalancer = (port: number, nodePorts: readonly number[]) => Promise<LocalServer | undefined>

export const rollingFault = createFault('rolling', 'HAProxy', (port, nodePorts) =>
  startHaproxy(join(deploy, 'haproxy.cfg'), port, {
    GATEHOUSE_ADDRESS: `127.0.0.1:${port}`,
    ...Object.fromEntries(
      nodePorts.map((nodePort, n) => [`GATEHOUSE_NODE_${n + 1}`, `127.0.0.1:${nodePort}`]),
    ),
  }),
)

export const rollingNginxFault = createFault('rolling-nginx', 'nginx', (port, nodePorts) =>
  startNginx(readFileSync(join(deploy, 'nginx.conf'), 'utf8'), port, nodePorts),
)

/** Restarts three nodes behind a load balancer, one after the other, under load. */
function createFault(name: string, balancer: string, startBalancer: StartBalancer): Fault {
  return {
    name,
    invariant: `three nodes behind ${balancer} are restarted one after the other: no request fails, each client gets each message once and in order, no interaction is lost`,
    engines: ['PostgreSQL'],
    timeoutMs: 600_000,
    run: context => run(context, balancer, startBalancer),
  }
}

async function run(context: FaultContext, balancer: string, startBalancer: StartBalancer) {
  const bus = context.use('nats-server', await startNats())
  const { nodes, target } = await startCluster(context, bus.url, balancer, startBalancer)
  const clients = await connectMembers(target)
  const bot = connectBot(target)
  const all = [...clients, bot]
  context.after(() => {
    for (const client of all) client.close()
  })
  await waitFor(() => all.every(({ ready }) => ready === 1), readyMs, 'all clients are connected')

  const load = startLoad(target)
  const restarts: number[] = []
  const rounds = context.rounds ?? 1
  for (let round = 0; round < rounds; round++) {
    for (const node of nodes) {
      await wait(1000)
      restarts.push(await restart(node))
    }
  }
  await wait(1000)
  await load.stop()

  assert.deepEqual(load.failures.slice(0, 5), [], `${load.failures.length} requests failed`)
  const sent = new Set(load.messages.flat())
  await waitFor(
    () => clients.every(client => client.contents.filter(content => sent.has(content)).length >= sent.size),
    catchUpMs,
  )
  for (const client of clients) assertComplete(client, load.messages)
  assert.equal(bot.ready, 1, 'the bot identified again')
  assert.deepEqual(bot.interactions.toSorted(), load.interactions.toSorted(), 'interactions of the bot')
  await assertAnswered(target, load.interactions)
  const resumed = all.reduce((sum, client) => sum + client.resumed, 0)
  const count = load.messages.flat().length
  return `${restarts.length} restarts, the slowest stop ${Math.round(Math.max(...restarts))} ms; ${load.count()} requests, none failed; ${all.length} clients, ${resumed} resumes; ${count} messages and ${load.interactions.length} interactions, each once`
}

async function startCluster(
  context: FaultContext,
  natsUrl: string,
  balancer: string,
  startBalancer: StartBalancer,
) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const secretKey = Buffer.alloc(32, 7).toString('base64')
  context.secrets.add(secretKey)
  const nodes: ServiceProcess[] = []
  for (const _ of [1, 2, 3]) {
    const env = {
      BASE_URL: url,
      TRUST_PROXY: '127.0.0.1',
      NATS_URL: natsUrl,
      DATABASE_URL: context.postgres?.url ?? '',
      SECRET_KEY: secretKey,
    }
    nodes.push(await context.startService({ env }))
  }
  const nodePorts = nodes.map(node => node.port)
  context.use(balancer, await startBalancer(port, nodePorts))
  const [first] = nodes
  assert.ok(first)
  const target = await createTarget(context, { ...first, url, client: () => createClient(url) })
  return { nodes, target }
}

/** Resolves to the milliseconds that the stop took. */
async function restart(node: ServiceProcess): Promise<number> {
  const start = performance.now()
  assert.equal(await node.end('SIGTERM'), 0, 'exit code')
  const ms = performance.now() - start
  await node.start()
  const isReady = async () => (await node.client().get('/readyz')).status === 200
  for (const end = performance.now() + readyMs; !(await isReady()); )
    assert.ok(performance.now() < end, 'the node is not ready')
  return ms
}

async function waitFor(condition: () => boolean, ms: number, message?: string): Promise<void> {
  const end = performance.now() + ms
  while (!condition() && performance.now() < end) await wait(50)
  if (message !== undefined) assert.ok(condition(), message)
}

interface Client {
  /** How often it got READY. More than once: it lost its session. */
  ready: number
  resumed: number
  /** Of the received messages. */
  contents: string[]
  /** The ids of the received interactions. */
  interactions: string[]
  close(): void
}

/** A client that reconnects and resumes, with the delays of the SDK. */
function connectClient(
  url: string,
  credentials: GatewayCredentials,
  onInteraction: (event: GatewayEvent) => void = () => {},
): Client {
  const received: Omit<Client, 'close'> = { ready: 0, resumed: 0, contents: [], interactions: [] }
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
  return Object.assign(received, { close: () => client.close() })
}

async function connectMembers(target: Target): Promise<Client[]> {
  const { service } = target
  const users = await addMembers(service, target, members)
  return users.flatMap(({ client }) =>
    Array.from({ length: connectionsPerMember }, () =>
      connectClient(service.url, { cookie: client.cookieHeader(), origin: service.url }),
    ),
  )
}

/** A bot that responds to every command. */
function connectBot(target: Target): Client {
  return connectClient(target.service.url, { token: target.bot.token }, event => {
    void target.respond(event).catch(() => undefined)
  })
}

/** Sends requests through the proxy until `stop`, which resolves when all have a response. */
function startLoad(target: Target) {
  const failures: string[] = []
  const interactions: string[] = []
  let requests = 0
  let isStopping = false

  async function repeat(name: string, work: (number: number) => Promise<void>): Promise<void> {
    for (let number = 1; !isStopping; number++) {
      await work(number).catch(error => failures.push(`${name}: ${error.message} ${error.cause ?? ''}`))
      await wait(pauseMs)
    }
  }

  async function check(expected: number, sending: Promise<TestResponse>): Promise<TestResponse> {
    requests++
    const response = await sending
    assert.equal(response.status, expected, response.text)
    return response
  }

  /** Sends numbered messages one after the other. Returns their contents. */
  function post(name: string, status: number, send: (content: string) => Promise<TestResponse>): string[] {
    const contents: string[] = []
    running.push(
      repeat(name, async number => {
        const content = `${name} ${number}`
        contents.push(content)
        await check(status, send(content))
      }),
    )
    return contents
  }

  const postAsUser = (content: string) =>
    target.sendAsUser(`/api/channels/${target.channelId}/messages`, { content })

  const running: Promise<void>[] = [
    repeat('message list', async () => void (await check(200, target.listMessages()))),
    repeat('exchange', async () => {
      requests++
      const code = await target.authorize()
      assert.ok(code !== undefined, 'no authorization code')
      await check(200, target.exchange(code))
    }),
    repeat('command', async () => {
      const { body } = await check(202, target.invoke())
      interactions.push(body.id)
    }),
  ]
  const messages = [post('user', 201, postAsUser), post('webhook', 200, target.post)]
  return {
    failures,
    interactions,
    /** The contents of each sender, in order. */
    messages,
    count: () => requests,
    async stop() {
      isStopping = true
      await Promise.all(running)
    },
  }
}

/** Checks that the client has one gateway session and got the messages of each sender once, in order. */
function assertComplete({ ready, contents }: Client, messages: readonly string[][]): void {
  assert.equal(ready, 1, 'a client identified again')
  for (const sent of messages) {
    const known = new Set(sent)
    const received = contents.filter(content => known.has(content))
    assert.deepEqual(received, sent, 'messages of a client')
  }
}

async function assertAnswered(target: Target, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { body } = await target.send(`/api/interactions/${id}`, { headers: { cookie: target.cookie } })
    assert.equal(body.state, 'answered', `interaction ${id}: ${JSON.stringify(body)}`)
  }
}
