import type { Connections } from './http/connections.ts'
import { delay, type Timers } from './kit/clock.ts'

/** Close functions, in the order in which their parts were opened. */
export type Closers = (() => unknown)[]

/**
 * Runs the functions in reverse order and empties the list. Continues after a failure and rejects with the first one.
 */
export async function closeAll(closers: Closers): Promise<void> {
  const failures: unknown[] = []
  for (const close of closers.splice(0).reverse()) {
    try {
      await close()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

// The command line allows ten seconds for a shutdown. `drainMs` and then at most four seconds of the gateway take
// eight; `cutOffMs` runs within those four. An interaction of the last request is created within six seconds, so its
// deadline passes after nine at the latest.
/** For the requests in flight, and the requests to interactions endpoints. */
const drainMs = 4000
/** Included in `drainMs`: how long a node gets requests until the load balancer has read the 503 of `/readyz`. */
const notReadyMs = 2000
const cutOffMs = 2000

interface Draining {
  timers: Timers
  connections: Connections
  /** Accepts no new connection. */
  closeApp(): Promise<unknown>
  /** Whether a load balancer has other nodes for its requests. */
  hasOtherNodes(): boolean
  /** Resolves when no interaction waits for its endpoint. */
  interactionsIdle(): Promise<unknown>
  /** Sends RECONNECT to the gateway clients. */
  closeSockets(): Promise<unknown>
}

/** Completes the requests in flight, then closes the connections. */
export async function drain(draining: Draining): Promise<void> {
  const { timers, connections } = draining
  const drainEnd = delay(timers, drainMs)
  connections.closeAfterResponses()
  if (draining.hasOtherNodes()) await delay(timers, notReadyMs)
  await connections.drainAcceptQueue()
  draining.closeApp().catch(() => undefined)
  // Requests in flight complete before the sockets close: their events and the responses of bots need the sockets. An
  // endpoint that responds later completes its interaction while the interactions module closes.
  await Promise.race([drainEnd, connections.waitUntilEmpty(drainMs).then(draining.interactionsIdle)])
  await Promise.all([
    draining.closeSockets(),
    connections.waitUntilEmpty(cutOffMs).then(connections.closeAll),
  ])
}
