import { HttpConnection, requestText } from './http-connection.ts'
import { type Ports, portOf } from './ports.ts'
import { type LoadSocket, openSocket } from './socket.ts'
import { createCounter, type Tally } from './tally.ts'

/** A person uses something, a bot answers, the person sees it: over the service, or over two bare hops. */
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

export interface RoundTripResult extends Tally {
  offered: number
}

interface Ends {
  /** Begins a round trip; `seen` is to be called with the same id when it is over. */
  use(id: number): void
  close(): void
}

type Told = (id: number, fault?: string) => void

const connections = 50
const patienceMs = 5000
const tickMs = 2

/**
 * As many a second as asked for, whether or not those before are over; each is timed from when it was due, so that a
 * service that stalls cannot hide it.
 */
export async function runRoundTrips(job: RoundTripJob): Promise<RoundTripResult> {
  const counter = createCounter()
  const due = new Map<number, number>()
  const seen: Told = (id, fault) => {
    const begun = due.get(id)
    if (begun === undefined) return
    due.delete(id)
    counter.count(performance.now() - begun, fault)
  }
  const ends = job.kind === 'bare' ? await bareEnds(job.port, seen) : await serviceEnds(job, seen)
  const start = performance.now()
  let offered = 0
  await new Promise<void>(resolve => {
    const timer = setInterval(() => {
      const elapsed = performance.now() - start
      const target = Math.floor((Math.min(elapsed, job.ms) / 1000) * job.rate)
      for (; offered < target; offered++) {
        due.set(offered, start + ((offered + 1) / job.rate) * 1000)
        ends.use(offered)
      }
      if (elapsed < job.ms || (due.size > 0 && elapsed < job.ms + patienceMs)) return
      clearInterval(timer)
      resolve()
    }, tickMs)
  })
  const ms = performance.now() - start
  for (const id of [...due.keys()]) seen(id, 'not over in time')
  ends.close()
  return { ...counter.tally(ms), offered }
}

async function bareEnds(ports: Ports, seen: Told): Promise<Ends> {
  const port = portOf(ports, 0)
  const bot = await openSocket({
    port,
    path: '/bot',
    onText: (payload, socket) => socket.send(`{"answer":${JSON.parse(String(payload)).use}}`),
  })
  const person = await openSocket({
    port,
    path: '/person',
    onText: payload => seen(JSON.parse(String(payload)).answer),
  })
  return {
    use: id => person.send(`{"use":${id}}`),
    close() {
      bot.close()
      person.close()
    },
  }
}

async function serviceEnds(job: Extract<RoundTripJob, { kind: 'service' }>, seen: Told): Promise<Ends> {
  const { port, gatewayPath, cookie, origin, botToken, use } = job
  const people = createPool(port)
  const bots = createPool(port)
  // The message may be there before the answer that names the interaction.
  const ids = new Map<string, number>()
  const early = new Set<string>()
  const botHeaders = { authorization: `Bot ${botToken}`, 'content-type': 'application/json' }
  const answer = JSON.stringify({ type: 'message', data: { content: 'You rolled 4.' } })

  // With two nodes each of the two ends is at another.
  const botEnd = { port: portOf(port, 0), path: gatewayPath, hello: { token: botToken } }
  const bot = await gatewaySocket(botEnd, frame => {
    if (frame.t !== 'INTERACTION_CREATE') return
    const { id, token } = frame.d
    void bots
      .request(requestText('POST', `/api/interactions/${id}/${token}/callback`, botHeaders, answer))
      .then(({ status, body }) => {
        const number = ids.get(id)
        if (status !== 200 && number !== undefined) seen(number, `callback ${status} ${body.slice(0, 80)}`)
      })
  })
  const headers = { cookie, origin }
  const personEnd = { port: portOf(port, 1), path: gatewayPath, hello: {}, headers }
  const person = await gatewaySocket(personEnd, frame => {
    const id = frame.t === 'MESSAGE_CREATE' ? frame.d.interaction?.id : undefined
    if (id === undefined) return
    const number = ids.get(id)
    if (number === undefined) early.add(id)
    else seen(number)
    ids.delete(id)
  })
  const useHeaders = { ...headers, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
  const text = requestText('POST', use.path, useHeaders, use.body)
  return {
    use(number) {
      void people.request(text).then(({ status, body }) => {
        if (status !== 202) return seen(number, `use ${status} ${body.slice(0, 80)}`)
        const { id, state } = JSON.parse(body)
        if (state === 'failed') return seen(number, 'the bot was not reached')
        if (early.delete(id)) return seen(number)
        ids.set(id, number)
      })
    },
    close() {
      bot.close()
      person.close()
      people.close()
      bots.close()
    },
  }
}

interface Frame {
  t?: string
  d: { id: string; token: string; interaction?: { id: string } }
}

/** Up to READY. */
async function gatewaySocket(
  { hello, ...to }: { port: number; path: string; headers?: Record<string, string>; hello: object },
  onEvent: (frame: Frame) => void,
): Promise<LoadSocket> {
  const ready = Promise.withResolvers<void>()
  // Refused before anybody waits for it where the socket is closed while it is being opened.
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
  socket.send(JSON.stringify({ op: 2, d: hello }))
  await ready.promise
  return socket
}

/** Connections that are each in one hand at a time; who finds none free waits. */
function createPool(port: Ports) {
  const all = Array.from({ length: connections }, (_, number) => new HttpConnection(portOf(port, number)))
  const free = [...all]
  const waiting: ((connection: HttpConnection) => void)[] = []
  return {
    async request(text: string) {
      const connection = free.pop() ?? (await new Promise<HttpConnection>(resolve => waiting.push(resolve)))
      try {
        return await connection.request(text)
      } catch (error) {
        return { status: 0, head: '', body: error instanceof Error ? error.message : String(error) }
      } finally {
        const next = waiting.shift()
        if (next) next(connection)
        else free.push(connection)
      }
    },
    close() {
      for (const connection of all) connection.close()
    },
  }
}
