import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Timers } from '../kit/clock.ts'

/** How long a client may take to send its next request, which gets a 503 instead of a closed connection. */
const idleGraceMs = 100

/**
 * How long a new connection may take to send its first bytes. Only a client or network that is slow needs more than a
 * few ms.
 */
const firstBytesMs = 500
const firstBytesPollMs = 10

/** Node.js accepts a connection in one turn of the event loop and reads it in the next. */
const quietTurns = 3
const maxTurns = 1000

export type Connections = ReturnType<typeof watchConnections>

/** The HTTP connections of a server. A connection that was upgraded to a WebSocket is no longer counted. */
export function watchConnections(server: Server, timers: Timers) {
  const open = new Set<Socket>()
  let accepted = 0
  let onEmpty: () => void = () => undefined

  function remove(this: Socket): void {
    open.delete(this)
    if (open.size === 0) onEmpty()
  }

  server.on('connection', socket => {
    accepted++
    open.add(socket)
    socket.once('close', remove)
  })
  server.on('upgrade', ({ socket }) => {
    socket.off('close', remove)
    remove.call(socket)
  })

  return {
    /** From now on, responses have `Connection: close`, so that a proxy opens its next connection to another node. */
    closeAfterResponses(): void {
      server.prependListener('request', (_request, response) => {
        response.shouldKeepAlive = false
      })
    },
    /**
     * Must be called before the server closes. Resolves when all requests that have arrived are being handled, and
     * limits keep-alive to `idleGraceMs`. Waits for the first bytes of new connections, which a closing server would
     * close at once: a client expects that of an idle connection only.
     */
    async drainAcceptQueue(): Promise<void> {
      server.keepAliveTimeout = 1
      server.keepAliveTimeoutBuffer = idleGraceMs
      let quiet = 0
      for (let i = 0; quiet < quietTurns && i < maxTurns; i++) {
        const before = accepted
        await new Promise(resolve => setImmediate(resolve))
        quiet = accepted === before ? quiet + 1 : 0
      }
      const deadline = performance.now() + firstBytesMs
      while (performance.now() < deadline && [...open].some(({ bytesRead }) => bytesRead === 0)) {
        await wait(firstBytesPollMs)
      }
    },
    /** Resolves when all connections of a closing server are closed, or after `ms`. */
    waitUntilEmpty(ms: number): Promise<void> {
      if (open.size === 0) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      onEmpty = resolve
      const timer = timers.after(ms, resolve)
      return promise.finally(() => timer.cancel())
    },
    closeAll(): void {
      server.closeAllConnections()
    },
  }
}
