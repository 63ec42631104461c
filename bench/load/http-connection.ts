import { connect, type Socket } from 'node:net'

export interface Answer {
  status: number
  /** Status line and headers as received. The case of header names varies. */
  head: string
  body: string
}

interface PendingRequest {
  resolve: (response: Answer) => void
  reject: (error: Error) => void
}

/**
 * A persistent connection that sends one request after another. The caller serializes the requests. It parses as little
 * as possible, so that the load generator takes little CPU time from the measured process.
 */
export class HttpConnection {
  readonly #port: number
  readonly #host: string
  #socket: Socket | undefined
  #received = ''
  #pending: PendingRequest | undefined

  constructor(port: number, host = '127.0.0.1') {
    this.#port = port
    this.#host = host
  }

  /** Sends a complete request (a string as Latin-1). Rejects if the connection closes before the response ends. */
  request(bytes: string | Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject }
      const socket = this.#open()
      if (typeof bytes === 'string') socket.write(bytes, 'latin1')
      else socket.write(bytes)
    })
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  #open(): Socket {
    if (this.#socket) return this.#socket
    const socket = connect({ port: this.#port, host: this.#host, noDelay: true })
    this.#socket = socket
    this.#received = ''
    socket.setEncoding('latin1')
    socket.on('data', text => this.#receive(String(text)))
    socket.on('error', error => this.#onClose(socket, error))
    socket.on('close', () => this.#onClose(socket, new Error('the connection was closed')))
    return socket
  }

  #onClose(socket: Socket, error: Error): void {
    if (this.#socket !== socket) return
    this.#socket = undefined
    const pending = this.#pending
    this.#pending = undefined
    pending?.reject(error)
  }

  #receive(text: string): void {
    this.#received += text
    const response = parse(this.#received)
    if (response === undefined) return
    this.#received = ''
    const pending = this.#pending
    this.#pending = undefined
    if (/^connection: close\r?$/im.test(response.head)) this.close()
    pending?.resolve(response)
  }
}

/** Returns undefined while the response is incomplete. */
function parse(text: string): Answer | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = text.slice(0, end)
  const status = Number(head.slice(9, 12))
  if (status < 200) return parse(text.slice(end + 4))
  const rest = text.slice(end + 4)
  const length = /^content-length: *(\d+)/im.exec(head)?.[1]
  if (length !== undefined) return rest.length < Number(length) ? undefined : { status, head, body: rest }
  if (!/^transfer-encoding: *chunked/im.test(head)) return { status, head, body: '' }
  const body = unchunk(rest)
  return body === undefined ? undefined : { status, head, body }
}

function unchunk(text: string): string | undefined {
  let body = ''
  let offset = 0
  for (;;) {
    const line = text.indexOf('\r\n', offset)
    if (line < 0) return undefined
    const size = Number.parseInt(text.slice(offset, line), 16)
    if (size === 0) return text.indexOf('\r\n', line + 2) < 0 ? undefined : body
    offset = line + 2 + size + 2
    if (text.length < offset) return undefined
    body += text.slice(line + 2, line + 2 + size)
  }
}

/** Serializes a request. */
export function requestText(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): string {
  const lines = Object.entries({
    host: 'localhost',
    ...headers,
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body, 'latin1')) }),
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}
