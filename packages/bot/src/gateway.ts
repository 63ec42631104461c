import { adaptWebSocket, createGatewayClient } from '@gatehouse/gateway-client'
import type { Timers } from './clock.ts'
import { GatehouseError, TokenError } from './errors.ts'
import type { GatewayEvents, Intent, Shard } from './types.ts'

export type GatewayEvent = {
  [Name in keyof GatewayEvents]: { t: Name; d: GatewayEvents[Name] }
}[keyof GatewayEvents]

export interface GatewayOptions {
  token: string
  identify?: { intents?: readonly Intent[] | undefined; shard?: Shard | undefined }
  findUrl(signal: AbortSignal): Promise<string>
  openSocket(url: string): WebSocket
  timers: Timers
  /** Returns a number from 0 up to 1. */
  random(): number
  onEvent(event: GatewayEvent): void
  /** The connection was lost; the next attempt starts after `retryMs`. */
  onDisconnect(reason: string, retryMs: number): void
  /** The service rejected the token. The gateway is closed and does not reconnect. */
  onFatal(error: GatehouseError): void
}

export interface Gateway {
  open(): void
  close(): void
}

/** The gateway connection of a bot. */
export function createGateway(options: GatewayOptions): Gateway {
  const client = createGatewayClient<GatewayEvent>({
    ...options,
    timing: { firstDelayMs: 1000, maxDelayMs: 60_000, helloTimeoutMs: 15_000, restartDelayMs: 2000 },
    // After a failed attempt, `GET /api/gateway` may return a URL that works.
    resolveUrl: (resumeUrl, failures, signal) => (resumeUrl && failures === 0 ? resumeUrl : findUrl(signal)),
    openSocket: (url, handlers) => adaptWebSocket(options.openSocket(url), handlers),
    onAuthenticationFailed() {
      options.onFatal(
        new TokenError(
          'The gateway rejected the bot token (4004). It is wrong or was reset. Create a new ' +
            'one in the developer console.',
        ),
      )
    },
    onIdentifyRejected(code, reason) {
      options.onFatal(
        new GatehouseError(
          `The gateway closed the connection (${code}): ${reason}. Change \`intents\` or ` +
            '`shard` of createBot, or the application in the developer console.',
        ),
      )
    },
  })

  async function findUrl(signal: AbortSignal): Promise<string> {
    try {
      return await options.findUrl(signal)
    } catch (error) {
      if (error instanceof TokenError && !signal.aborted) {
        client.close()
        options.onFatal(error)
      }
      throw error
    }
  }

  return { open: client.open, close: client.close }
}
