import { connect, type Socket } from 'node:net'

export interface Answer {
  status: number
  /** As they came, names in whatever case. */
  head: string
  body: string
}

interface Waiting {
  resolve: (answer: Answer) => void
  reject: (error: Error) => void
}

/**
 * One kept connection on which one request after the other is made, as bytes that the caller wrote: a generator of load
 * that parses as little as possible leaves the machine to what is measured.
 */
export class HttpConnection {
  readonly #port: number
  readonly #host: string
  #socket: Socket | undefined
  #received = ''
  #waiting: Waiting | undefined

  constructor(port: number, host = '127.0.0.1') {
    this.#port = port
    this.#host = host
  }

  /** `bytes` is a whole request, or text of Latin-1. Rejects where the connection ends before the answer does. */
  request(bytes: string | Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
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
    socket.on('error', error => this.#lose(socket, error))
    socket.on('close', () => this.#lose(socket, new Error('the connection was closed')))
    return socket
  }

  #lose(socket: Socket, error: Error): void {
    if (this.#socket !== socket) return
    this.#socket = undefined
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.reject(error)
  }

  #receive(text: string): void {
    this.#received += text
    const answer = parse(this.#received)
    if (answer === undefined) return
    this.#received = ''
    const waiting = this.#waiting
    this.#waiting = undefined
    if (/^connection: close\r?$/im.test(answer.head)) this.close()
    waiting?.resolve(answer)
  }
}

/** Undefined while there is more to come. */
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
  let at = 0
  for (;;) {
    const line = text.indexOf('\r\n', at)
    if (line < 0) return undefined
    const size = Number.parseInt(text.slice(at, line), 16)
    if (size === 0) return text.indexOf('\r\n', line + 2) < 0 ? undefined : body
    at = line + 2 + size + 2
    if (text.length < at) return undefined
    body += text.slice(line + 2, line + 2 + size)
  }
}

/** A request as the text to be written. */
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
