import { HttpConnection, requestText } from './http-connection.ts'
import { type Ports, portOf } from './ports.ts'
import { type LoadSocket, openSocket } from './socket.ts'
import { median } from './tally.ts'

export interface CrowdJob {
  port: Ports
  path: string
  headers: Record<string, string>
  /** Sent once the socket is open. */
  hello?: string
  /** What stands in the frame with which a socket has arrived; without it, it has when it is open. */
  arrived?: string
  count: number
}

export interface SayJob {
  port: Ports
  path: string
  headers: Record<string, string>
  body: string
  status: number
  /** Stands in the frame that each socket of the crowd gets. */
  marker: string
  messages: number
}

export interface SayResult {
  /** Frames that reached a socket, a second, of the median message. */
  framesPerSecond: number
  bytes: number
  errors: Record<string, number>
}

export interface Crowd {
  gather(job: CrowdJob): Promise<number>
  /** Messages one after the other: the next when the last socket has the one before. */
  say(job: SayJob): Promise<SayResult>
  leave(): void
}

const atOnce = 100
const patienceMs = 20_000

export function createCrowd(): Crowd {
  let sockets: LoadSocket[] = []
  let marker: Buffer | undefined
  let reached = 0
  let bytes = 0
  let onAll: () => void = () => undefined
  let lost = 0

  function receive(payload: Buffer): void {
    if (marker === undefined || !payload.includes(marker)) return
    reached++
    bytes = payload.length
    if (reached === sockets.length) onAll()
  }

  async function join({ port, path, headers, hello, arrived }: CrowdJob, number: number): Promise<void> {
    const expected = arrived === undefined ? undefined : Buffer.from(arrived)
    const ready = Promise.withResolvers<void>()
    // Refused before anybody waits for it where the socket is closed while it is being opened.
    ready.promise.catch(() => undefined)
    let isReady = expected === undefined
    const socket = await openSocket({
      port: portOf(port, number),
      path,
      headers,
      onText(payload) {
        if (isReady) return receive(payload)
        if (expected !== undefined && payload.includes(expected)) {
          isReady = true
          ready.resolve()
        }
      },
      onClose() {
        lost++
        ready.reject(new Error('a socket was closed'))
      },
    })
    if (hello !== undefined) socket.send(hello)
    if (isReady) ready.resolve()
    await ready.promise
    sockets.push(socket)
  }

  return {
    async gather(job) {
      let left = job.count
      async function fill(): Promise<void> {
        while (left > 0) await join(job, left--)
      }
      await Promise.all(Array.from({ length: atOnce }, fill))
      return sockets.length
    },
    async say({ port, path, headers, body, status, marker: text, messages }) {
      const connection = new HttpConnection(portOf(port, 0))
      const times: number[] = []
      const errors: Record<string, number> = {}
      lost = 0
      marker = Buffer.from(text)
      for (let n = 0; n < messages; n++) {
        reached = 0
        const all = Promise.withResolvers<boolean>()
        onAll = () => all.resolve(true)
        const late = setTimeout(() => all.resolve(false), patienceMs)
        const start = performance.now()
        const answer = connection.request(requestText('POST', path, headers, body))
        const complete = await all.promise
        const ms = performance.now() - start
        clearTimeout(late)
        const given = await answer
        if (given.status !== status) errors[`${given.status} ${given.body.slice(0, 80)}`] = 1
        if (complete) times.push(ms)
        else errors[`${sockets.length - reached} sockets did not get it`] = 1
      }
      if (lost > 0) errors[`${lost} sockets were closed`] = 1
      connection.close()
      return { framesPerSecond: (sockets.length / median(times)) * 1000, bytes, errors }
    },
    leave() {
      for (const socket of sockets) socket.close()
      sockets = []
    },
  }
}
