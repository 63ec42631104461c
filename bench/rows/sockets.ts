import { setTimeout as wait } from 'node:timers/promises'
import { maxConnections } from '@gatehouse/protocol/limits'
import { addMembers } from '@gatehouse/testkit/fixture'
import { readMemory } from '@gatehouse/testkit/service-process'
import { type Bench, joinErrors, measureAlternately, medianOf, type Row, type Target } from '../bench.ts'
import { describeCosts, measureCosts } from '../costs.ts'
import { judge, percent, times } from '../goals.ts'
import type { BroadcastJob, ConnectJob } from '../load/socket-group.ts'
import { json } from '../scenarios.ts'

const settleMs = 1500
const marker = 'To all of you.'

const fanOutGoals = { sqlite: { least: 0.95 }, postgres: undefined }

export const fanOutRow: Row = {
  name: 'fan-out',
  what: 'one message to 5,000 open sockets',
  async run(bench) {
    const count = 5000
    const target = await bench.target()
    const peer = await bench.startPeer('sockets.ts')
    const frame = await frameOf(target)
    const ours = broadcastOf(target, bench.short ? 4 : 20)
    const theirs: BroadcastJob = { ...ours, port: peer.port, path: '/', body: frame }
    // There is one set of sockets, so only the measured side is connected.
    const connected = async <T>(sockets: ConnectJob, measure: () => Promise<T>): Promise<T> => {
      await bench.sockets.connect(sockets)
      const result = await measure()
      bench.sockets.disconnect()
      return result
    }
    const ourSockets = await gatewaySockets(target, count)
    const rounds = await measureAlternately(bench.rounds, {
      ours: () => connected(ourSockets, () => measureCosts(target, () => bench.sockets.broadcast(ours))),
      theirs: () => connected(bareSockets(peer.port, count), () => bench.sockets.broadcast(theirs)),
    })
    peer.stop()
    const ratio = medianOf(rounds, round => round.ours.framesPerSecond / round.theirs.framesPerSecond)
    const format = (side: 'ours' | 'theirs') =>
      `${medianOf(rounds, round => round[side].framesPerSecond).toFixed(0)} frames/s of ${rounds[0]?.[side].bytes} bytes`
    return [
      {
        what: `one message to ${count} sockets, against bare ws`,
        sides: {
          ours: format('ours'),
          ws: format('theirs'),
          costs: describeCosts(rounds.map(round => round.ours.costs)),
        },
        ...judge(ratio, percent, fanOutGoals[bench.engine]),
        errors: joinErrors(...rounds.flatMap(round => [round.ours.errors, round.theirs.errors])),
      },
    ]
  },
}

export const idleRow: Row = {
  name: 'idle',
  ofOneNode: true,
  what: 'memory of 10,000 idle gateway sessions',
  async run(bench) {
    const count = 10_000
    const rounds = bench.short ? 1 : 3
    const memory: Record<'ours' | 'theirs', { growth: number; total: number }>[] = []
    // A process does not return the memory of closed sockets, so each round starts new processes.
    for (let round = 0; round < rounds; round++) {
      const target = await bench.startTarget()
      const ours = await measureGrowth(bench, target.service.pid(), await gatewaySockets(target, count))
      await target.service.end('SIGTERM')
      const peer = await bench.startPeer('sockets.ts')
      const theirs = await measureGrowth(bench, peer.pid, bareSockets(peer.port, count))
      peer.stop()
      memory.push({ ours, theirs })
    }
    const each = (side: 'ours' | 'theirs') => medianOf(memory, round => round[side].growth) / count
    const kib = (bytes: number) => `${(bytes / 1024).toFixed(1)} KiB each`
    const ratio = each('ours') / each('theirs')
    const format = (side: 'ours' | 'theirs') =>
      `${kib(each(side))}, ${(medianOf(memory, round => round[side].total) / 2 ** 20).toFixed(0)} MiB in all`
    return [
      {
        what: `${count} idle sessions, against bare ws`,
        sides: { ours: `${format('ours')} (${times(ratio)})`, ws: format('theirs') },
        ...(bench.engine === 'sqlite'
          ? judge(ratio, times, { most: 1.4 })
          : judge(each('ours'), kib, { most: 11 * 1024 })),
        errors: {},
      },
    ]
  },
}

export async function measureGrowth(
  bench: Bench,
  pid: number,
  sockets: ConnectJob,
): Promise<{ growth: number; total: number }> {
  const before = readMemory(pid)
  const connected = await bench.sockets.connect(sockets)
  if (connected !== sockets.count) throw new Error(`${connected} of ${sockets.count} sockets opened`)
  await wait(settleMs)
  const total = readMemory(pid)
  bench.sockets.disconnect()
  return { growth: total - before, total }
}

/** Gateway connections of new members of the server. */
export async function gatewaySockets(
  { service, ports, fixture }: Target,
  count: number,
): Promise<ConnectJob> {
  const members = await addMembers(service, fixture, Math.ceil(count / maxConnections))
  return {
    port: ports,
    path: '/api/gateway/ws',
    headers: { origin: service.url },
    cookies: members.map(({ client }) => client.cookieHeader()),
    firstFrame: JSON.stringify({ op: 2, d: {} }),
    readyText: '"t":"READY"',
    count,
  }
}

function bareSockets(port: number, count: number): ConnectJob {
  return { port, path: '/', headers: {}, count }
}

/** Posts with the webhook. */
export function broadcastOf({ ports, fixture }: Target, messages: number): BroadcastJob {
  return {
    port: ports,
    path: fixture.webhookPath,
    headers: json,
    body: JSON.stringify({ content: marker }),
    status: 204,
    marker,
    messages,
  }
}

/** The same bytes that the service sends for such a message. */
async function frameOf({ service, fixture }: Target): Promise<string> {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/api/gateway/ws`, {
    headers: { cookie: fixture.cookie, origin: service.url },
  } as never)
  try {
    return await new Promise<string>((resolve, reject) => {
      socket.addEventListener('error', () => reject(new Error('the gateway cannot be reached')))
      socket.addEventListener('message', ({ data }) => {
        const text = String(data)
        if (text.includes('"op":10')) socket.send(JSON.stringify({ op: 2, d: {} }))
        else if (text.includes('"t":"READY"')) {
          void fetch(new URL(fixture.webhookPath, service.url), {
            method: 'POST',
            headers: json,
            body: JSON.stringify({ content: marker }),
          })
        } else if (text.includes(marker)) resolve(text)
      })
    })
  } finally {
    socket.close()
  }
}
