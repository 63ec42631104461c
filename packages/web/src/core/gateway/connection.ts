import { createGatewayClient, type GatewayClientOptions } from '@gatehouse/gateway-client'
import type { GatewayEvent, UserEventMap } from '@gatehouse/protocol/gateway'

export type Connection = ReturnType<typeof createConnection>

export type ConnectionState =
  /** Before the first READY. */
  | 'connecting'
  | 'ready'
  /** The connection was lost after it was ready. */
  | 'reconnecting'
  /** Signed out (4004) or stopped; there is no retry. */
  | 'ended'

/** The events that change the data of the client. */
export type DataEvent = GatewayEvent<Exclude<keyof UserEventMap, 'RESUMED'>>

export interface ConnectionTimers {
  /** Runs `work` after `ms`; the returned function cancels it. */
  after(ms: number, work: () => void): () => void
}

const timing = { firstDelayMs: 1000, maxDelayMs: 30_000, helloTimeoutMs: 10_000 } as const

interface Options extends Pick<GatewayClientOptions<GatewayEvent>, 'openSocket' | 'timers' | 'random'> {
  url: string
  onEvent(event: DataEvent): void
  onState(state: ConnectionState): void
  /**
   * A session started with READY. Events before it were not received: while the client reconnected, or between its
   * first requests and the first READY.
   */
  onGap(): void
  /** The session cookie is no longer valid (4004). */
  onSignedOut(): void
}

/** The gateway connection of the web client: its state, and the gaps in its events. */
export function createConnection(options: Options) {
  let state: ConnectionState | undefined
  let wasReady = false

  const client = createGatewayClient<GatewayEvent<keyof UserEventMap>>({
    openSocket: options.openSocket,
    timers: options.timers,
    random: options.random,
    timing,
    resolveUrl: resumeUrl => resumeUrl ?? options.url,
    onEvent(event) {
      if (event.t === 'RESUMED') return setState('ready')
      if (event.t !== 'READY') return options.onEvent(event)
      wasReady = true
      setState('ready')
      options.onEvent(event)
      options.onGap()
    },
    onDisconnect: () => setState(wasReady ? 'reconnecting' : 'connecting'),
    onAuthenticationFailed() {
      setState('ended')
      options.onSignedOut()
    },
  })

  function setState(next: ConnectionState) {
    if (state === next) return
    state = next
    options.onState(next)
  }

  return {
    start() {
      setState('connecting')
      client.open()
    },
    stop() {
      client.close()
      setState('ended')
    },
    /** Call it when the network is back or the tab becomes visible. */
    retryNow: client.retryNow,
  }
}
