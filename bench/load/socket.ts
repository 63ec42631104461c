import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'

/** A minimal WebSocket client (RFC 6455). It sends text frames up to 64 KiB and receives text frames of any size. */
export interface LoadSocket {
  send(text: string): void
  close(): void
}

interface Options {
  port: number
  /** Default: 127.0.0.1. */
  host?: string
  path: string
  headers?: Readonly<Record<string, string>>
  onText: (payload: Buffer, socket: LoadSocket) => void
  onClose?: () => void
}

/** Resolves when the handshake is complete. */
export function openSocket({
  port,
  host = '127.0.0.1',
  path,
  headers = {},
  onText,
  onClose,
}: Options): Promise<LoadSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host, noDelay: true })
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n${lines.join('')}\r\n`,
    )
    const opened = createSocket(socket)
    let open = false
    let rest: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      if (!open) {
        const end = rest.indexOf('\r\n\r\n')
        if (end < 0) return
        if (!rest.toString('latin1', 0, 12).endsWith('101'))
          return reject(new Error(rest.toString('latin1', 0, end)))
        open = true
        rest = rest.subarray(end + 4)
        resolve(opened)
      }
      rest = readFrames(rest, payload => onText(payload, opened))
    })
    socket.on('error', reject)
    socket.on('close', () => {
      reject(new Error('closed before it was open'))
      onClose?.()
    })
  })
}

/** Passes the payload of each complete text frame to `onText`. Returns the bytes of the incomplete frame. */
function readFrames(bytes: Buffer, onText: (payload: Buffer) => void): Buffer {
  let offset = 0
  while (bytes.length - offset >= 2) {
    const opcode = (bytes[offset] ?? 0) & 0x0f
    let length = (bytes[offset + 1] ?? 0) & 0x7f
    let start = offset + 2
    if (length === 126) {
      if (bytes.length < start + 2) break
      length = bytes.readUInt16BE(start)
      start += 2
    } else if (length === 127) {
      if (bytes.length < start + 8) break
      length = Number(bytes.readBigUInt64BE(start))
      start += 8
    }
    if (bytes.length < start + length) break
    if (opcode === 1) onText(bytes.subarray(start, start + length))
    offset = start + length
  }
  return bytes.subarray(offset)
}

function createSocket(socket: Socket): LoadSocket {
  return {
    send(text) {
      const payload = Buffer.from(text)
      // A masking key of zeros does not change the payload.
      const head =
        payload.length < 126
          ? Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0])
          : Buffer.from([0x81, 0xfe, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0])
      socket.write(Buffer.concat([head, payload]))
    },
    close: () => socket.destroy(),
  }
}
