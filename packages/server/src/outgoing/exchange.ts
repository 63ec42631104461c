import type { ClientRequest, IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Timers } from '../kit/clock.ts'

/** Each message completes a sentence that begins with "could not be reached:" or "failed:". */
const messages = {
  // One reason, so that nobody can find out which names the DNS of the service knows (bots/outgoing-names).
  host: 'its host name does not exist or its IP address is not allowed',
  connect: 'the connection could not be established',
  tls: 'the TLS connection could not be established',
  timeout: 'it did not respond in time',
  connection_closed: 'the connection was closed before the response was complete',
  too_large: 'its response is too large',
  content_encoding: 'its response is compressed, which is not supported',
  redirect: 'it responded with a redirect, which is not followed',
} as const

export type OutgoingReason = keyof typeof messages

/**
 * A failed outgoing request. The message may be shown to users and logged: it contains neither the URL nor a body, and
 * it is the same for every forbidden address (bots/outgoing-address-forms) and for a name that does not exist.
 */
export class OutgoingError extends Error {
  readonly reason: OutgoingReason

  /** `detail`: an error code of Node.js (`ECONNREFUSED`, `CERT_HAS_EXPIRED`) or an HTTP status. */
  constructor(reason: OutgoingReason, detail?: string | number) {
    super(detail === undefined ? messages[reason] : `${messages[reason]} (${detail})`)
    this.name = 'OutgoingError'
    this.reason = reason
  }
}

export interface OutgoingResponse {
  status: number
  /** Of a redirect. */
  location?: string | undefined
  body: Buffer
}

interface ExchangeOptions {
  timers: Timers
  /** For name resolution, connection, headers and body. */
  timeoutMs: number
  /** Of the body of the response. */
  maxBytes: number
  /** Whether a redirect is a response instead of an error. */
  returnsRedirects?: boolean
}

/** Sends the request and reads the response. Rejects with OutgoingError after closing the connection. */
export function exchange(
  request: ClientRequest,
  body: string | Uint8Array | undefined,
  { timers, timeoutMs, maxBytes, returnsRedirects = false }: ExchangeOptions,
): Promise<OutgoingResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<OutgoingResponse>()
  function fail(error: OutgoingError): void {
    timer.cancel()
    reject(error)
    request.destroy()
  }
  const timer = timers.after(timeoutMs, () => fail(new OutgoingError('timeout')))
  const currentStage = trackStage(request)
  request.on('error', error => fail(toOutgoingError(error, currentStage())))
  // Some requests end without an `error` event, for example after a 101 response.
  request.on('close', () => fail(new OutgoingError('connection_closed')))
  request.on('response', response => {
    const error = checkHeaders(response, maxBytes, returnsRedirects)
    response.on('error', () => fail(new OutgoingError('connection_closed')))
    if (error) return fail(error)
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) return fail(new OutgoingError('too_large'))
      chunks.push(chunk)
    })
    response.on('end', () => {
      timer.cancel()
      const { statusCode: status = 0, headers } = response
      resolve({ status, location: headers.location, body: Buffer.concat(chunks) })
    })
  })
  request.end(body)
  return promise
}

function checkHeaders(
  { statusCode = 0, headers }: IncomingMessage,
  maxBytes: number,
  returnsRedirects: boolean,
): OutgoingError | undefined {
  // A redirect of a POST is an error whatever its target (bots/outgoing-requests, bots/outgoing-redirects).
  if (statusCode >= 300 && statusCode < 400 && !returnsRedirects)
    return new OutgoingError('redirect', statusCode)
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') return new OutgoingError('content_encoding')
  if (Number(headers['content-length'] ?? 0) > maxBytes) return new OutgoingError('too_large')
  return undefined
}

/** Returns a function that maps the progress of the request to the reason of an error that occurs next. */
function trackStage(request: ClientRequest): () => OutgoingReason {
  let stage: OutgoingReason = 'connect'
  request.on('socket', (socket: TLSSocket) => {
    if (request.reusedSocket) {
      stage = 'connection_closed'
      return
    }
    socket.once('connect', () => {
      stage = request.protocol === 'https:' ? 'tls' : 'connection_closed'
    })
    socket.once('secureConnect', () => {
      stage = 'connection_closed'
    })
  })
  return () => stage
}

function toOutgoingError(error: Error & { code?: unknown }, stage: OutgoingReason): OutgoingError {
  // Thrown by the lookup function in outgoing.ts.
  if (error instanceof OutgoingError) return error
  if (error.code === 'HPE_HEADER_OVERFLOW') return new OutgoingError('too_large')
  const code = typeof error.code === 'string' && /^[A-Z0-9_]+$/.test(error.code) ? error.code : undefined
  return new OutgoingError(stage, code)
}
