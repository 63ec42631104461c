import { EventEmitter, once } from 'node:events'
import { adaptWebSocket, createGatewayClient, type GatewayClientOptions } from '@gatehouse/gateway-client'
import { gatewayPath } from '@gatehouse/protocol/gateway'
import { systemTimers } from '../../server/src/kit/clock.ts'

/** An event of the gateway. `d` is not validated. */
export interface GatewayEvent {
  t: string
  d: ReturnType<typeof JSON.parse>
  /** Time of receipt in milliseconds since the Unix epoch. */
  receivedAt: number
}

/** A gateway session that does not reconnect. */
export interface GatewaySession {
  /** All received events. */
  events: readonly GatewayEvent[]
  /** The next event with this name. Undefined if the session ends first or none arrives within 10 seconds. */
  next(name: string): Promise<GatewayEvent | undefined>
  /** Resolves to the reason when the connection is lost or closed. */
  ended: Promise<string>
  close(): void
}

const nextTimeoutMs = 10_000

/** The credentials of a bot, or the headers of a browser. `origin` must equal BASE_URL. */
export type GatewayCredentials = { token: string } | { cookie: string; origin: string }

/** A client that does not connect before `open`. It reconnects, like the SDK. */
export function createTestGatewayClient<Event extends { t: string; d: unknown }>(
  url: string,
  credentials: GatewayCredentials,
  options: Pick<
    GatewayClientOptions<Event>,
    'timing' | 'onEvent' | 'onDisconnect' | 'onAuthenticationFailed'
  >,
) {
  const isBot = 'token' in credentials
  const headers = isBot ? {} : { ...credentials }
  return createGatewayClient<Event>({
    ...(isBot ? credentials : {}),
    resolveUrl: () => new URL(gatewayPath, url.replace('http', 'ws')).href,
    // The headers are an extension of Node.js.
    openSocket: (address, handlers) => adaptWebSocket(new WebSocket(address, { headers } as never), handlers),
    timers: {
      after(ms, work) {
        const timer = systemTimers.after(ms, work)
        return () => timer.cancel()
      },
    },
    random: Math.random,
    ...options,
  })
}

/** Connects to the gateway. Resolves after READY. */
export async function openSession(url: string, credentials: GatewayCredentials): Promise<GatewaySession> {
  const events: GatewayEvent[] = []
  const unread: GatewayEvent[] = []
  const changes = new EventEmitter()
  const { promise: ended, resolve: end } = Promise.withResolvers<string>()
  let isOpen = true
  const client = createTestGatewayClient(url, credentials, {
    timing: { firstDelayMs: 1000, maxDelayMs: 1000, helloTimeoutMs: nextTimeoutMs },
    onEvent({ t, d }) {
      const event = { t, d, receivedAt: Date.now() }
      events.push(event)
      unread.push(event)
      changes.emit('change')
    },
    onDisconnect: close,
    onAuthenticationFailed: () => close('authentication failed'),
  })

  function close(reason = 'closed by this client'): void {
    isOpen = false
    client.close()
    end(reason)
    changes.emit('change')
  }

  async function next(name: string): Promise<GatewayEvent | undefined> {
    const signal = AbortSignal.timeout(nextTimeoutMs)
    for (;;) {
      const index = unread.findIndex(({ t }) => t === name)
      if (index >= 0) return unread.splice(0, index + 1).at(-1)
      if (!isOpen || signal.aborted) return undefined
      await once(changes, 'change', { signal }).catch(() => undefined)
    }
  }

  client.open()
  if (!(await next('READY'))) {
    close('no READY')
    throw new Error(`The gateway did not accept the session: ${await ended}`)
  }
  return { events, next, ended, close: () => close() }
}
