import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Timers } from '../kit/clock.ts'

/** The connections by which requests come; one that was upgraded is another's from then on. */
export interface Connections {
  /**
   * Before the server closes: resolves when what has come until now is read, so that it is under way. A connection is
   * kept alive for a moment after an answer from now on, no longer.
   */
  retire(): Promise<void>
  /** Of a server that closes: resolves when everything under way is answered and no connection left, or after `ms`. */
  drained(ms: number): Promise<void>
  /** Cuts off those that are left. */
  cut(): void
}

/** How long a client may take to send its next request, which is answered with 503, rather than find itself cut off. */
const lastingMs = 100

/** The runtime accepts a connection a turn, and reads it in the next; without new ones nothing waits any more. */
const quietTurns = 3
const mostTurns = 1000

export function watchConnections(server: Server, timers: Timers): Connections {
  const open = new Set<Duplex>()
  let accepted = 0
  let noneLeft: () => void = () => undefined

  function gone(this: Duplex): void {
    open.delete(this)
    if (open.size === 0) noneLeft()
  }

  server.on('connection', socket => {
    accepted++
    open.add(socket)
    socket.once('close', gone)
  })
  server.on('upgrade', (_request, socket) => {
    socket.off('close', gone)
    gone.call(socket)
  })

  return {
    async retire() {
      server.keepAliveTimeout = 1
      server.keepAliveTimeoutBuffer = lastingMs
      let quiet = 0
      for (let turn = 0; quiet < quietTurns && turn < mostTurns; turn++) {
        const before = accepted
        await new Promise(resolve => setImmediate(resolve))
        quiet = accepted === before ? quiet + 1 : 0
      }
    },
    drained(ms) {
      if (open.size === 0) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      noneLeft = resolve
      const timer = timers.after(ms, resolve)
      return promise.finally(() => timer.cancel())
    },
    cut: () => server.closeAllConnections(),
  }
}
