import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { defaultLocale } from '@gatehouse/protocol/locales'
import { AppError } from '../errors/app-error.ts'
import type { Timers } from '../kit/clock.ts'
import { corsHeaders } from './cors.ts'
import { type ErrorFormat, errorHeaders, nativeErrorFormat } from './error-formats.ts'
import { fromClientError } from './fastify-errors.ts'
import type { Route } from './route.ts'

/** How long a client may take to read a response before its connection is closed. */
const lingerMs = 1000

/** Writes an error response to a socket and closes it. */
export function endWithError(
  socket: Duplex,
  error: AppError,
  headers: Readonly<Record<string, string>> = {},
  errorFormat: ErrorFormat = nativeErrorFormat,
): void {
  // The request has no parsed header, so its language is unknown.
  const response = errorFormat(error, '', {
    method: '',
    url: undefined,
    locale: defaultLocale,
    theme: 'system',
  })
  const { status } = response
  const body = typeof response.body === 'string' ? response.body : JSON.stringify(response.body)
  const fields = {
    ...headers,
    ...errorHeaders(error),
    ...response.headers,
    'content-type': response.contentType ?? 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}

export type ClientErrors = ReturnType<typeof createClientErrors>

/** Responds to requests that node:http rejects before Fastify sees them. */
export function createClientErrors(options: {
  timers: Timers
  headers: Readonly<Record<string, string>>
  /** The route whose error format and CORS headers apply to a URL. */
  routeOf: (url: string) => Pick<Route, 'errorFormat' | 'cors'> | undefined
}) {
  const { timers, headers, routeOf } = options
  const latest = new WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>()
  const malformed = new WeakMap<IncomingMessage, AppError>()
  // The parser repeats an error for all data that follows it.
  const failed = new WeakSet<Duplex>()

  function respond(socket: Duplex, error: AppError, url: string | undefined): void {
    if (!socket.writable) return
    const route = url === undefined ? undefined : routeOf(url)
    endWithError(socket, error, route?.cors ? { ...headers, ...corsHeaders } : headers, route?.errorFormat)
    // Closing the connection immediately, with unread input, would send a RST and lose the response (RFC 9112 §9.6).
    const timer = timers.after(lingerMs, () => socket.destroy())
    socket.once('close', () => timer.cancel())
  }

  return {
    /** The listener of the `clientError` event: malformed requests and timeouts. */
    handle(thrown: Error, socket: Duplex): void {
      if (failed.has(socket)) return
      failed.add(socket)
      if (!socket.writable || ('code' in thrown && thrown.code === 'ECONNRESET')) {
        socket.destroy(thrown)
        return
      }
      const error = fromClientError(thrown)
      const { request, response } = latest.get(socket) ?? {}
      if (request === undefined || response === undefined || response.writableFinished) {
        respond(socket, error, targetOf(thrown))
      } else if (request.complete) {
        // The error is in the data after this request, whose response is sent first.
        response.once('finish', () => respond(socket, error, undefined))
      } else {
        // The error is in the body of this request, so its route sends the response, or has sent it already.
        malformed.set(request, error)
        if (!response.headersSent) response.setHeader('connection', 'close')
        if (request.listenerCount('error') > 0) request.emit('error', error)
        response.once('finish', () => socket.end())
      }
    },
    /** The error of the HTTP parser in the body of a request that a route is handling. */
    findParserError(request: IncomingMessage): AppError | undefined {
      return malformed.get(request)
    },
    /** Tracks the current request of each connection. */
    watch(server: Server): void {
      server.prependListener('request', (request, response) => {
        latest.set(request.socket, { request, response })
      })
      // RFC 9110 §10.1.1: a server may ignore an unknown expectation.
      server.on('checkExpectation', (request, response) => server.emit('request', request, response))
      // Without a listener, node:http closes the connection.
      server.on('connect', (_request, socket) => {
        const error = new AppError('method_not_allowed', 'CONNECT is not supported here.')
        endWithError(socket, error, { ...headers, allow: '' })
      })
    },
  }
}

/** The request target (RFC 9112 §3), if the bytes that the parser rejected start with a request line. */
function targetOf(thrown: Error): string | undefined {
  const bytes = 'rawPacket' in thrown && thrown.rawPacket instanceof Uint8Array ? thrown.rawPacket : undefined
  if (bytes === undefined) return undefined
  return /^[A-Z-]+ (\S+)/.exec(Buffer.from(bytes).toString('latin1'))?.[1]
}
