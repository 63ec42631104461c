import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'

/** A WebSocket (RFC 6455) that does no more than a load needs: text frames up to 64 KiB to send, any to receive. */
export interface LoadSocket {
  send(text: string): void
  close(): void
}

interface Options {
  port: number
  /** 127.0.0.1 unless said. */
  host?: string
  path: string
  headers?: Readonly<Record<string, string>>
  onText: (payload: Buffer, socket: LoadSocket) => void
  onClose?: () => void
}

/** Resolves when the handshake is done. */
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
    const opened = handle(socket)
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

/** Hands on the payload of each whole text frame; what is left is of a frame to come. */
function readFrames(bytes: Buffer, onText: (payload: Buffer) => void): Buffer {
  let at = 0
  while (bytes.length - at >= 2) {
    const opcode = (bytes[at] ?? 0) & 0x0f
    let length = (bytes[at + 1] ?? 0) & 0x7f
    let start = at + 2
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
    at = start + length
  }
  return bytes.subarray(at)
}

function handle(socket: Socket): LoadSocket {
  return {
    send(text) {
      const payload = Buffer.from(text)
      // A mask of zeros leaves the payload as it is.
      const head =
        payload.length < 126
          ? Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0])
          : Buffer.from([0x81, 0xfe, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0])
      socket.write(Buffer.concat([head, payload]))
    },
    close: () => socket.destroy(),
  }
}
