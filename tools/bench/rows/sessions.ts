import { setTimeout as wait } from 'node:timers/promises'
import { maxConnections } from '@gatehouse/protocol/limits'
import { addMembers } from '@gatehouse/testkit/fixture'
import { readMemory } from '@gatehouse/testkit/service-process'
import type { Bench, Target } from '../bench.ts'
import { createCounter, type HttpRequest, type Load, type Server, send, timeoutMs } from '../load.ts'
import { compare, type Result } from '../report.ts'
import { openSockets, type Sockets } from '../sockets.ts'
import { json } from './requests.ts'

const marker = 'To all of you.'

export async function* fanOut(bench: Bench): AsyncGenerator<Result> {
  const job = { count: 5000, messages: bench.short ? 4 : 20, frame: marker }
  const peer = await bench.startPeer('bare.ts')
  const post = { method: 'POST', headers: json, status: 204 }
  const sides = {
    ...(await bench.ourSides(async target => {
      const sockets = await gatewaySockets(target, job.count)
      const body = JSON.stringify({ content: marker })
      const request = { ...post, path: target.fixture.webhookPath, body }
      return () => broadcast(target, sockets, request, job)
    })),
    // In each round after the service, whose frame it sends.
    ws: () => broadcast(peer, bareSockets(peer), { ...post, path: '/broadcast', body: job.frame }, job),
  }
  const goals = { ws: bench.engine === 'sqlite' ? { p50: { most: 1 / 0.95 } } : {} }
  yield compare(bench, `one message to ${job.count} sockets`, sides, goals)
}

export async function* idle(bench: Bench): AsyncGenerator<Result> {
  const count = 10_000
  // A process does not return the memory of closed sockets, so each round starts new ones.
  const sides = {
    async ours() {
      const target = await bench.startTarget()
      const sockets = await gatewaySockets(target, count)
      // The sockets would use the memory that the registration of their users has left free.
      await target.service.end('SIGTERM')
      await target.service.start()
      const memory = await measureGrowth(target, sockets, count)
      await target.service.end('SIGTERM')
      return { memory }
    },
    async ws() {
      const peer = await bench.startPeer('bare.ts')
      return { memory: await measureGrowth(peer, bareSockets(peer), count) }
    },
  }
  const goals = { ws: { memory: { most: bench.engine === 'sqlite' ? 1.4 : 1.5 } } }
  const rounds = bench.short ? 1 : 2
  yield compare({ ...bench, rounds }, `${count} idle sessions, after a collection of garbage`, sides, goals)
}

/**
 * The request sends a message to all sockets, each after all of them have the one before. `job.frame` is then the last
 * frame.
 */
async function broadcast(
  server: Server,
  options: Sockets,
  request: HttpRequest,
  job: { count: number; messages: number; frame: string },
): Promise<Load> {
  let received = 0
  let all = Promise.withResolvers<void>()
  const onText = (frame: Buffer) => {
    if (!frame.includes(marker) || ++received < job.count) return
    job.frame = String(frame)
    all.resolve()
  }
  const sockets = await openSockets(job.count, number => ({ ...options(number), onText }))
  const counter = createCounter(server)
  for (let message = 0; message < job.messages; message++) {
    received = 0
    all = Promise.withResolvers()
    const start = performance.now()
    const sent = send(server, request)
    await Promise.race([all.promise, wait(timeoutMs, undefined, { ref: false })])
    if (received === job.count) counter.count(performance.now() - start)
    else counter.fail(`${received} of ${job.count} sockets got it`)
    await sent
  }
  for (const socket of sockets) socket.terminate()
  return counter.end()
}

/** The growth of the resident memory in MiB, with collections of garbage before and after it. */
async function measureGrowth({ pids }: Server, options: Sockets, count: number): Promise<number> {
  const [pid = 0] = pids()
  const readCollected = async () => {
    process.kill(pid, 'SIGUSR2')
    await wait(3000)
    return readMemory(pid) / 2 ** 20
  }
  const before = await readCollected()
  const sockets = await openSockets(count, options)
  const after = await readCollected()
  for (const socket of sockets) socket.terminate()
  return after - before
}

const bareSockets = (peer: Server) => () => ({ port: peer.ports[0] ?? 0, path: '/' })

/** Gateway sessions of new members of the server, with as many for each as are allowed. */
async function gatewaySockets({ service, ports, fixture }: Target, count: number): Promise<Sockets> {
  const members = await addMembers(service, fixture, Math.ceil(count / maxConnections))
  const cookies = members.map(({ client }) => client.cookieHeader())
  return number => ({
    port: ports[number % ports.length] ?? 0,
    path: '/api/gateway/ws',
    headers: { cookie: cookies[number % cookies.length] ?? '', origin: service.url },
    identify: {},
  })
}
