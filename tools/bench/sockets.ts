import { on, once } from 'node:events'
import { WebSocket } from 'ws'

export interface SocketOptions {
  port: number
  path: string
  headers?: Record<string, string>
  /** The data of the Identify frame of the gateway. Without it, the socket is ready when it is open. */
  identify?: object
  /** Receives the frames after READY. */
  onText?: (text: Buffer, socket: WebSocket) => void
}

/** Opens a WebSocket without compression, and without validation of the text, which takes processor time. */
export async function openSocket(options: SocketOptions): Promise<WebSocket> {
  const { port, path, headers = {}, identify, onText } = options
  const settings = { headers, perMessageDeflate: false, skipUTF8Validation: true }
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, settings)
  await once(socket, 'open')
  // The messages that do not arrive are counted.
  socket.on('error', () => undefined)
  if (identify) {
    socket.send(JSON.stringify({ op: 2, d: identify }))
    await receiveReady(socket)
  }
  // The default `binaryType` is `nodebuffer`.
  if (onText) socket.on('message', (data: Buffer) => onText(data, socket))
  return socket
}

async function receiveReady(socket: WebSocket): Promise<void> {
  for await (const [data] of on(socket, 'message', { close: ['close'] }))
    if (data.includes('"t":"READY"')) return
  throw new Error('the gateway closed a socket before READY')
}

/** The options of a socket by its number. */
export type Sockets = (number: number) => SocketOptions

/** Opens many sockets, 50 at a time: fewer than `gateway/unidentified-limit` allows. */
export async function openSockets(count: number, sockets: Sockets): Promise<WebSocket[]> {
  const all: WebSocket[] = []
  for (let from = 0; from < count; from += 50)
    all.push(...(await Promise.all(Array.from({ length: 50 }, (_none, n) => openSocket(sockets(from + n))))))
  return all
}
