import type { WebSocket } from 'ws'
import { HttpConnection } from './http-client.ts'
import { type Ports, portOf } from './ports.ts'
import { openSocket } from './socket.ts'
import { median } from './statistics.ts'

export interface ConnectJob {
  port: Ports
  path: string
  headers: Record<string, string>
  /** `Cookie` headers, which the sockets use in turn. */
  cookies?: readonly string[]
  /** The text frame to send when the socket is open. */
  firstFrame?: string
  /** Text in the frame that makes a socket ready. Without it, a socket is ready when it is open. */
  readyText?: string
  count: number
}

export interface BroadcastJob {
  port: Ports
  path: string
  headers: Record<string, string>
  body: string
  status: number
  /** Text in the frame that each socket receives. */
  marker: string
  messages: number
}

export interface BroadcastResult {
  /** The number of messages that every socket received. */
  done: number
  /** Received frames per second, for the median message. */
  framesPerSecond: number
  bytes: number
  errors: Record<string, number>
}

export interface SocketGroup {
  connect(job: ConnectJob): Promise<number>
  /** Sends messages one after another, each after every socket has received the previous one. */
  broadcast(job: BroadcastJob): Promise<BroadcastResult>
  disconnect(): void
}

/** Fewer than the connections from one IP address that may not have identified (gateway/unidentified-limit). */
const concurrency = 50
const timeoutMs = 20_000

export function createSocketGroup(): SocketGroup {
  let sockets: WebSocket[] = []
  let marker: Buffer | undefined
  let receivedCount = 0
  let bytes = 0
  let onComplete: () => void = () => undefined
  let lost = 0

  function receive(payload: Buffer): void {
    if (marker === undefined || !payload.includes(marker)) return
    receivedCount++
    bytes = payload.length
    if (receivedCount === sockets.length) onComplete()
  }

  async function connectOne(
    { port, path, headers, cookies, firstFrame, readyText }: ConnectJob,
    number: number,
  ): Promise<void> {
    const cookie = cookies?.[number % cookies.length]
    const expected = readyText === undefined ? undefined : Buffer.from(readyText)
    const ready = Promise.withResolvers<void>()
    // Without a handler, a rejection before the first await (the socket closes during the handshake) ends the process.
    ready.promise.catch(() => undefined)
    let isReady = expected === undefined
    const socket = await openSocket({
      port: portOf(port, number),
      path,
      headers: cookie === undefined ? headers : { ...headers, cookie },
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
    if (firstFrame !== undefined) socket.send(firstFrame)
    if (isReady) ready.resolve()
    await ready.promise
    sockets.push(socket)
  }

  return {
    async connect(job) {
      let remaining = job.count
      async function connectRemaining(): Promise<void> {
        while (remaining > 0) await connectOne(job, remaining--)
      }
      await Promise.all(Array.from({ length: concurrency }, connectRemaining))
      return sockets.length
    },
    async broadcast({ port, path, headers, body, status, marker: text, messages }) {
      const connection = new HttpConnection(portOf(port, 0))
      const times: number[] = []
      const errors: Record<string, number> = {}
      lost = 0
      marker = Buffer.from(text)
      for (let n = 0; n < messages; n++) {
        receivedCount = 0
        const all = Promise.withResolvers<boolean>()
        onComplete = () => all.resolve(true)
        const timer = setTimeout(() => all.resolve(false), timeoutMs)
        const start = performance.now()
        const pendingResponse = connection.request({ method: 'POST', path, headers, body })
        const complete = await all.promise
        const ms = performance.now() - start
        clearTimeout(timer)
        const response = await pendingResponse
        if (response.status !== status) errors[`${response.status} ${response.body.slice(0, 80)}`] = 1
        if (complete) times.push(ms)
        else errors[`${sockets.length - receivedCount} sockets did not get it`] = 1
      }
      if (lost > 0) errors[`${lost} sockets were closed`] = 1
      connection.close()
      return { done: times.length, framesPerSecond: (sockets.length / median(times)) * 1000, bytes, errors }
    },
    disconnect() {
      for (const socket of sockets) socket.terminate()
      sockets = []
    },
  }
}
