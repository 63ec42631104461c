import type { WebSocket } from 'ws'
import { HttpConnection, type HttpRequest } from './http-client.ts'
import { type Ports, portOf } from './ports.ts'
import { openSocket } from './socket.ts'
import { createCounter, type LoadResult } from './statistics.ts'

/** A user starts an interaction, a bot responds, the user receives the message: via the service or two bare hops. */
export type RoundTripJob = { port: Ports; rate: number; ms: number } & (
  | {
      kind: 'service'
      gatewayPath: string
      cookie: string
      origin: string
      botToken: string
      use: { path: string; body: string }
    }
  | { kind: 'bare' }
)

export interface RoundTripResult extends LoadResult {
  offered: number
}

interface Participants {
  /** Starts a round trip. `onSeen` receives the same id when it ends. */
  use(id: number): void
  close(): void
}

type OnSeen = (id: number, fault?: string) => void

const connections = 50
const timeoutMs = 5000
const tickMs = 2

/**
 * Starts round trips at a fixed rate (open loop). Each is measured from its scheduled time, so that a stall of the
 * service shows in the result (no coordinated omission).
 */
export async function runRoundTrips(job: RoundTripJob): Promise<RoundTripResult> {
  const counter = createCounter()
  const scheduled = new Map<number, number>()
  const onSeen: OnSeen = (id, fault) => {
    const scheduledAt = scheduled.get(id)
    if (scheduledAt === undefined) return
    scheduled.delete(id)
    counter.count(performance.now() - scheduledAt, fault)
  }
  const participants =
    job.kind === 'bare' ? await connectBare(job.port, onSeen) : await connectService(job, onSeen)
  const start = performance.now()
  let offered = 0
  await new Promise<void>(resolve => {
    const timer = setInterval(() => {
      const elapsed = performance.now() - start
      const target = Math.floor((Math.min(elapsed, job.ms) / 1000) * job.rate)
      for (; offered < target; offered++) {
        scheduled.set(offered, start + ((offered + 1) / job.rate) * 1000)
        participants.use(offered)
      }
      if (elapsed < job.ms || (scheduled.size > 0 && elapsed < job.ms + timeoutMs)) return
      clearInterval(timer)
      resolve()
    }, tickMs)
  })
  const ms = performance.now() - start
  for (const id of [...scheduled.keys()]) onSeen(id, 'not over in time')
  participants.close()
  return { ...counter.summarize(ms), offered }
}

async function connectBare(ports: Ports, onSeen: OnSeen): Promise<Participants> {
  const port = portOf(ports, 0)
  const bot = await openSocket({
    port,
    path: '/bot',
    onText: (payload, socket) => socket.send(`{"answer":${JSON.parse(String(payload)).use}}`),
  })
  const user = await openSocket({
    port,
    path: '/person',
    onText: payload => onSeen(JSON.parse(String(payload)).answer),
  })
  return {
    use: id => user.send(`{"use":${id}}`),
    close() {
      bot.terminate()
      user.terminate()
    },
  }
}

async function connectService(
  job: Extract<RoundTripJob, { kind: 'service' }>,
  onSeen: OnSeen,
): Promise<Participants> {
  const { port, gatewayPath, cookie, origin, botToken, use } = job
  const userPool = createPool(port)
  const botPool = createPool(port)
  // The message can arrive before the response that contains the interaction id.
  const ids = new Map<string, number>()
  const earlyIds = new Set<string>()
  const botHeaders = { authorization: `Bot ${botToken}`, 'content-type': 'application/json' }
  const callbackBody = JSON.stringify({ type: 'message', data: { content: 'You rolled 4.' } })

  // With two nodes, the bot and the user connect to different nodes.
  const botOptions = { port: portOf(port, 0), path: gatewayPath, identify: { token: botToken } }
  const bot = await gatewaySocket(botOptions, frame => {
    if (frame.t !== 'INTERACTION_CREATE') return
    const { id, token } = frame.d
    void botPool
      .request({
        method: 'POST',
        path: `/api/interactions/${id}/${token}/callback`,
        headers: botHeaders,
        body: callbackBody,
      })
      .then(({ status, body }) => {
        const number = ids.get(id)
        if (status !== 200 && number !== undefined) onSeen(number, `callback ${status} ${body.slice(0, 80)}`)
      })
  })
  const headers = { cookie, origin }
  const userOptions = { port: portOf(port, 1), path: gatewayPath, identify: {}, headers }
  const user = await gatewaySocket(userOptions, frame => {
    const id = frame.t === 'MESSAGE_CREATE' ? frame.d.interaction?.id : undefined
    if (id === undefined) return
    const number = ids.get(id)
    if (number === undefined) earlyIds.add(id)
    else onSeen(number)
    ids.delete(id)
  })
  const useHeaders = { ...headers, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
  const request = { method: 'POST', headers: useHeaders, ...use }
  return {
    use(number) {
      void userPool.request(request).then(({ status, body }) => {
        if (status !== 202) return onSeen(number, `use ${status} ${body.slice(0, 80)}`)
        const { id, state } = JSON.parse(body)
        if (state === 'failed') return onSeen(number, 'the bot was not reached')
        if (earlyIds.delete(id)) return onSeen(number)
        ids.set(id, number)
      })
    },
    close() {
      bot.terminate()
      user.terminate()
      userPool.close()
      botPool.close()
    },
  }
}

interface Frame {
  t?: string
  d: { id: string; token: string; interaction?: { id: string } }
}

/** Resolves after READY. */
async function gatewaySocket(
  { identify, ...to }: { port: number; path: string; headers?: Record<string, string>; identify: object },
  onEvent: (frame: Frame) => void,
): Promise<WebSocket> {
  const ready = Promise.withResolvers<void>()
  // Without a handler, a rejection before the first await (the socket closes during the handshake) ends the process.
  ready.promise.catch(() => undefined)
  const socket = await openSocket({
    ...to,
    onText(payload) {
      const frame: Frame = JSON.parse(String(payload))
      if (frame.t === 'READY') ready.resolve()
      else onEvent(frame)
    },
    onClose: () => ready.reject(new Error('the gateway closed the socket')),
  })
  socket.send(JSON.stringify({ op: 2, d: identify }))
  await ready.promise
  return socket
}

/** A connection pool. A request waits if no connection is free. */
function createPool(port: Ports) {
  const all = Array.from({ length: connections }, (_, number) => new HttpConnection(portOf(port, number)))
  const idle = [...all]
  const queue: ((connection: HttpConnection) => void)[] = []
  return {
    async request(request: HttpRequest) {
      const connection = idle.pop() ?? (await new Promise<HttpConnection>(resolve => queue.push(resolve)))
      try {
        return await connection.request(request)
      } catch (error) {
        return { status: 0, body: error instanceof Error ? error.message : String(error) }
      } finally {
        const next = queue.shift()
        if (next) next(connection)
        else idle.push(connection)
      }
    },
    close() {
      for (const connection of all) connection.close()
    },
  }
}
