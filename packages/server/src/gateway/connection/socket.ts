import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { CloseCode } from '@gatehouse/protocol/gateway'
import { identifyTimeoutMs, maxFrameBytes, maxUnidentifiedConnections } from '@gatehouse/protocol/limits'
import { WebSocket, WebSocketServer } from 'ws'
import { AppError, notFound } from '../../errors/app-error.ts'
import { endWithError } from '../../http/client-errors.ts'
import type { ClientIpResolver } from '../../http/client-ip.ts'
import { readCookie } from '../../http/cookies.ts'
import type { Gateway } from '../gateway.ts'
import type { ProtocolError, WireFormat } from '../wire-format.ts'
import type { Connection, FrameSocket } from './connection.ts'
import type { CompressedText } from './frame-compression.ts'
import type { Handshake } from './gateway-authentication.ts'

interface SocketOptions {
  /** The full name of the session cookie. */
  cookieName: string
  resolveClientIp: ClientIpResolver
}

/** How long `ws` waits for the close frame of the client before it destroys the connection. */
const closeTimeout = 2000

/** Adds the gateway to the HTTP server, at its path. */
export function mountGateway(server: Server, gateway: Gateway, options: SocketOptions) {
  // A separate object, because the types of `ws` do not have this option.
  const timeouts = { closeTimeout }
  const webSocketServer = new WebSocketServer({
    ...timeouts,
    noServer: true,
    clientTracking: true,
    perMessageDeflate: false,
    maxPayload: maxFrameBytes,
    maxFragments: 64,
    WebSocket: GatewaySocket,
  })
  // By default `ws` responds to an invalid handshake with HTML. The header is required by RFC 6455 §4.4.
  webSocketServer.on('wsClientError', (error, socket) => {
    endWithError(socket, new AppError('malformed_request', error.message), { 'sec-websocket-version': '13' })
  })
  let closing = false

  function readHandshake(request: IncomingMessage): Handshake {
    const { headers } = request
    return {
      cookie: readCookie(request, options.cookieName),
      origin: headers.origin,
      ip: options.resolveClientIp(request),
      userAgent: headers['user-agent'] ?? '',
    }
  }

  // A request that offers another protocol, such as h2c, gets a normal response (RFC 9110 §7.8).
  Object.assign(server, { shouldUpgradeCallback: isWebSocketRequest })
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', destroy)
    if (closing) return endWithError(socket, new AppError('unavailable', 'The service is stopping.'))
    const [path = '', query] = request.url?.split('?', 2) ?? []
    const format = gateway.findFormat(path)
    if (format === undefined) return endWithError(socket, notFound())
    const handshake = readHandshake(request)
    if (!gateway.admits(handshake)) return endWithError(socket, tooManyUnidentified())
    webSocketServer.handleUpgrade(request, socket, head, webSocket => {
      // From here on `ws` handles errors of the socket.
      socket.off('error', destroy)
      const chosen = format.forQuery(new URLSearchParams(query))
      const isAccepted = 'paths' in chosen
      webSocket.open(gateway, handshake, socket, isAccepted ? chosen : format)
      if (!isAccepted) webSocket.refuse(chosen)
    })
  })

  return {
    /**
     * Rejects new connections and closes all others. Resolves when they are closed, after at most two seconds, and
     * their clients have resumed on other nodes, after at most four.
     */
    async close(): Promise<void> {
      closing = true
      const open = [...webSocketServer.clients]
      const closed = open.map(webSocket => new Promise(resolve => webSocket.once('close', resolve)))
      await Promise.all([gateway.close(), ...closed])
    },
  }
}

/** Close codes of `ws` for a frame that is too long or not UTF-8 (RFC 6455 §7.4.1). The gateway uses 4002 for both. */
const badFrameCodes: readonly (number | undefined)[] = [1007, 1009]

/** `Retry-After` is the time after which each connection of the address has identified or is closed. */
function tooManyUnidentified(): AppError {
  return new AppError(
    'rate_limited',
    `At most ${maxUnidentifiedConnections} connections of an IP address may not have identified.`,
    { retryAfter: identifyTimeoutMs / 1000 },
  )
}

class GatewaySocket extends WebSocket implements FrameSocket {
  #connection: Connection | undefined
  #stream: Duplex | undefined
  /** By how much the queued frames were longer before compression. */
  #savedBytes = 0

  open(gateway: Gateway, handshake: Handshake, stream: Duplex, format: WireFormat): void {
    this.#stream = stream
    this.#connection = gateway.accept(this, handshake, format)
  }

  refuse(error: ProtocolError): void {
    this.#connection?.close(...error)
  }

  /** Handles events without listeners, which would need 300 bytes per idle socket. */
  override emit(event: string | symbol, ...values: unknown[]): boolean {
    switch (event) {
      case 'message': {
        const [data, binary] = values
        if (Buffer.isBuffer(data)) this.#connection?.onMessage(data, binary === true)
        return true
      }
      case 'ping':
      case 'pong':
        this.#connection?.onControlFrame()
        return true
      case 'error':
        // The close code already contains the cause. Without this case, `emit` would throw.
        return true
      case 'close':
        this.#connection?.onSocketClose()
        return super.emit(event, ...values)
      default:
        return super.emit(event, ...values)
    }
  }

  sendText(frame: Buffer | string): void {
    // A buffer contains text that is already encoded.
    this.send(frame, { binary: false })
  }

  sendCompressed({ bytes, length }: CompressedText): void {
    const saved = length - bytes.length
    this.#savedBytes += saved
    this.send(bytes, { binary: true }, () => {
      this.#savedBytes -= saved
    })
  }

  get queuedBytes(): number {
    const stream = this.#stream
    const queued = stream === undefined || stream.destroyed ? 0 : stream.writableLength
    return queued === 0 ? 0 : queued + this.#savedBytes
  }

  drained(): Promise<void> | undefined {
    const stream = this.#stream
    if (stream?.writableNeedDrain !== true) return undefined
    return new Promise(resolve => {
      const onEnd = () => {
        stream.off('drain', onEnd).off('close', onEnd)
        resolve()
      }
      stream.on('drain', onEnd).on('close', onEnd)
    })
  }

  override close(code?: number, data?: string | Buffer): void {
    super.close(badFrameCodes.includes(code) ? CloseCode.badFrame : code, data)
  }
}

// One function for all sockets. A closure per socket would keep the request in memory.
function destroy(this: Duplex): void {
  this.destroy()
}

function isWebSocketRequest({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}
