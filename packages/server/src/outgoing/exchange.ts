import type { ClientRequest, IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Timers } from '../kit/clock.ts'
import { OutgoingError, type OutgoingReason } from './outgoing-error.ts'

export interface OutgoingAnswer {
  status: number
  body: Buffer
}

interface Bounds {
  timers: Timers
  /** For all of it: name, connection, head and body. */
  timeoutMs: number
  /** Of the answer's body. */
  maxBytes: number
}

/** Sends the request and reads its answer; rejects with OutgoingError. The connection is closed where that happens. */
export function exchange(
  request: ClientRequest,
  body: string | Uint8Array,
  { timers, timeoutMs, maxBytes }: Bounds,
): Promise<OutgoingAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<OutgoingAnswer>()
  function fail(error: OutgoingError): void {
    timer.cancel()
    reject(error)
    request.destroy()
  }
  const timer = timers.after(timeoutMs, () => fail(new OutgoingError('timeout')))
  const stage = stageOf(request)
  request.on('error', error => fail(toOutgoingError(error, stage())))
  // Without an error where, for one, the answer is a change of protocol.
  request.on('close', () => fail(new OutgoingError('broken')))
  request.on('response', response => {
    const fault = faultOfHead(response, maxBytes)
    response.on('error', () => fail(new OutgoingError('broken')))
    if (fault) return fail(fault)
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) return fail(new OutgoingError('too_large'))
      chunks.push(chunk)
    })
    response.on('end', () => {
      timer.cancel()
      resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) })
    })
  })
  request.end(body)
  return promise
}

function faultOfHead(
  { statusCode = 0, headers }: IncomingMessage,
  maxBytes: number,
): OutgoingError | undefined {
  // D31, check 22: whatever it points to.
  if (statusCode >= 300 && statusCode < 400) return new OutgoingError('redirect', statusCode)
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') return new OutgoingError('encoded')
  if (Number(headers['content-length'] ?? 0) > maxBytes) return new OutgoingError('too_large')
  return undefined
}

/** Says how far a request has come: what an error that comes next is about. */
function stageOf(request: ClientRequest): () => OutgoingReason {
  let stage: OutgoingReason = 'connect'
  request.on('socket', (socket: TLSSocket) => {
    if (request.reusedSocket) {
      stage = 'broken'
      return
    }
    socket.once('connect', () => {
      stage = request.protocol === 'https:' ? 'tls' : 'broken'
    })
    socket.once('secureConnect', () => {
      stage = 'broken'
    })
  })
  return () => stage
}

function toOutgoingError(error: Error & { code?: unknown }, stage: OutgoingReason): OutgoingError {
  if (error instanceof OutgoingError) return error
  if (error.code === 'HPE_HEADER_OVERFLOW') return new OutgoingError('too_large')
  const code = typeof error.code === 'string' && /^[A-Z0-9_]+$/.test(error.code) ? error.code : undefined
  return new OutgoingError(stage, code)
}
