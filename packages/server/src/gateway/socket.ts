import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { CloseCode, gatewayPath } from '@gatehouse/protocol/gateway'
import { maxFrameBytes } from '@gatehouse/protocol/limits'
import { WebSocket, WebSocketServer } from 'ws'
import { cookieOf } from '../http/cookies.ts'
import { createEndOfRound } from '../kit/end-of-round.ts'
import { createClientAddress } from './client-address.ts'
import type { Connection, Gateway, Peer, Visitor } from './index.ts'

interface SocketOptions {
  /** `sessionCookieName` of http/authenticate. */
  cookieName: string
  /** Addresses and CIDR blocks of proxies. */
  trustProxy: readonly string[]
}

export interface Sockets {
  /** Takes no more, tells all to reconnect, resolves when they are gone: after two seconds at the most. */
  close(): Promise<void>
}

/** How long the other side may take to answer a close, before it is cut off. */
const closeTimeout = 2000

/** Puts the gateway on the server, at its path: the only place that knows `ws`. */
export function mountGateway(server: Server, gateway: Gateway, options: SocketOptions): Sockets {
  const clientAddress = createClientAddress(options.trustProxy)
  const endOfRound = createEndOfRound()
  // The types of `ws` do not know it.
  const timeouts = { closeTimeout }
  const upgrades = new WebSocketServer({
    ...timeouts,
    noServer: true,
    clientTracking: true,
    perMessageDeflate: false,
    maxPayload: maxFrameBytes,
    maxFragments: 64,
    WebSocket: GatewaySocket,
  })
  let stopping = false

  function visitorOf(request: IncomingMessage): Visitor {
    const { headers, socket } = request
    const forwarded = headers['x-forwarded-for']
    return {
      cookie: cookieOf(request, options.cookieName),
      origin: headers.origin,
      ip: clientAddress(socket.remoteAddress ?? '', Array.isArray(forwarded) ? forwarded.join() : forwarded),
      userAgent: headers['user-agent'] ?? '',
    }
  }

  // Without it, programs that offer h2c with a common request would get no answer to it (RFC 9110 §7.8).
  Object.assign(server, { shouldUpgradeCallback: isWebSocketRequest })
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', destroy)
    if (stopping) return refuse(socket, '503 Service Unavailable')
    if (request.url?.split('?', 1)[0] !== gatewayPath) return refuse(socket, '404 Not Found')
    const visitor = visitorOf(request)
    upgrades.handleUpgrade(request, socket, head, peer => {
      // It hears of errors by itself from now on.
      socket.off('error', destroy)
      peer.begin(gateway, visitor, socket, endOfRound)
    })
  })

  return {
    async close() {
      stopping = true
      const open = [...upgrades.clients]
      const gone = open.map(peer => new Promise(resolve => peer.once('close', resolve)))
      gateway.dismiss()
      await Promise.all(gone)
    },
  }
}

/** Close codes of `ws` for frames that are too long or no UTF-8 (RFC 6455 §7.4.1): here both are 4002. */
const badFrames: readonly (number | undefined)[] = [1007, 1009]

type EndOfRound = ReturnType<typeof createEndOfRound>

class GatewaySocket extends WebSocket implements Peer {
  #connection: Connection | undefined
  #wire: Duplex | undefined
  #endOfRound: EndOfRound = work => work()

  begin(gateway: Gateway, visitor: Visitor, wire: Duplex, endOfRound: EndOfRound): void {
    this.#wire = wire
    this.#endOfRound = endOfRound
    this.#connection = gateway.accept(this, visitor)
  }

  /** It hears its own events: listeners would take 300 bytes of every idle socket. */
  override emit(event: string | symbol, ...values: unknown[]): boolean {
    switch (event) {
      case 'message': {
        const [data, binary] = values
        if (Buffer.isBuffer(data)) this.#connection?.receive(data, binary === true)
        return true
      }
      case 'ping':
      case 'pong':
        this.#connection?.controlFrame()
        return true
      case 'error':
        // Its close code says what was wrong; there is nobody else to be told.
        return true
      case 'close':
        this.#connection?.gone()
        return super.emit(event, ...values)
      default:
        return super.emit(event, ...values)
    }
  }

  /** What one round of the event loop has for a socket leaves it in one write. */
  transmit(frame: Buffer | string): void {
    const wire = this.#wire
    if (wire?.writableCorked === 0) {
      wire.cork()
      this.#endOfRound(() => wire.uncork())
    }
    // Bytes are of text that was encoded before.
    this.send(frame, { binary: false })
  }

  backlog(): number {
    return this.bufferedAmount
  }

  shut(code: number, reason: string): void {
    this.close(code, reason)
  }

  override close(code?: number, data?: string | Buffer): void {
    super.close(badFrames.includes(code) ? CloseCode.badFrame : code, data)
  }
}

// One of each for all sockets, not one for each: that would hold on to the request.
function destroy(this: Duplex): void {
  this.destroy()
}

function isWebSocketRequest({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
