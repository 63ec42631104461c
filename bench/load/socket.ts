import { once } from 'node:events'
import { WebSocket } from 'ws'

interface Options {
  port: number
  path: string
  headers?: Readonly<Record<string, string>>
  onText: (payload: Buffer, socket: WebSocket) => void
  onClose?: () => void
}

/** Opens a WebSocket without compression and without validation of the received text, which would take CPU time. */
export async function openSocket({ port, path, headers = {}, onText, onClose }: Options): Promise<WebSocket> {
  const url = `ws://127.0.0.1:${port}${path}`
  const socket = new WebSocket(url, { headers, perMessageDeflate: false, skipUTF8Validation: true })
  // The default `binaryType` is `nodebuffer`.
  socket.on('message', data => onText(data as Buffer, socket))
  socket.on('close', () => onClose?.())
  await once(socket, 'open')
  socket.on('error', () => undefined)
  return socket
}
