import { CloseCode, Op } from '@gatehouse/protocol/gateway-codes'

export interface GatewaySocket {
  /** Does nothing if the socket is not open. */
  send(text: string): void
  close(code: number): void
}

export interface SocketHandlers {
  onMessage(data: unknown): void
  onClose(code: number, reason: string): void
}

export interface GatewayTiming {
  /** Delay before the first retry; it doubles with each failed attempt. */
  firstDelayMs: number
  maxDelayMs: number
  helloTimeoutMs: number
  /**
   * Upper bound of the random delay after a restart of the service; without it a restart counts as a failed attempt.
   */
  restartDelayMs?: number
}

/** What the client reads of an event itself. */
interface AnyEvent {
  t: string
  d: unknown
}

export interface GatewayClientOptions<Event extends AnyEvent> {
  /** The bot token. A browser has none: its session cookie authenticates the WebSocket. */
  token?: string
  /** What a bot chooses at identify (gateway/intents, gateway/shards). */
  identify?: {
    intents?: readonly string[] | undefined
    shard?: readonly [id: number, count: number] | undefined
  }
  /**
   * Returns the URL of the next connection. `resumeUrl` is that of the current gateway session, `failures` the number
   * of failed attempts since the last READY or RESUMED. A rejection counts as a failed attempt.
   */
  resolveUrl(resumeUrl: string | undefined, failures: number, signal: AbortSignal): string | Promise<string>
  /** Must not call a handler before it returns. */
  openSocket(url: string, handlers: SocketHandlers): GatewaySocket
  timers: { after(ms: number, work: () => void): () => void }
  /** Returns a number from 0 up to 1. */
  random(): number
  timing: GatewayTiming
  onEvent(event: Event): void
  /** The connection was lost; the next attempt starts after `retryMs`. */
  onDisconnect(reason: string, retryMs: number): void
  /** The service rejected the credential (4004). The client does not reconnect. */
  onAuthenticationFailed(): void
  /** The service rejected `identify`, or an intent was switched off. The client does not reconnect. */
  onIdentifyRejected?(code: number, reason: string): void
}

// RFC 6455, section 7.4.2: 4000 to 4999 are for private use. 1000 would mean that the client has finished.
const resumableClose = 4900
const normalClosure = 1000

const sessionEndingCodes: readonly number[] = [
  CloseCode.unknownOp,
  CloseCode.badFrame,
  CloseCode.notIdentified,
  CloseCode.alreadyIdentified,
  CloseCode.badSeq,
]

/** Every retry would fail again. */
const rejectingCodes: readonly number[] = [
  CloseCode.invalidShard,
  CloseCode.invalidIntents,
  CloseCode.disallowedIntents,
]

/** An early retry would fail again. */
const slowRetryCodes: readonly number[] = [CloseCode.rateLimited, CloseCode.tooManyConnections]

interface Frame {
  op: number
  d?: unknown
  s?: number
  t?: string
}

export type GatewayClient = ReturnType<typeof createGatewayClient>

/** The client side of the gateway (docs/spec/gateway.md): identify, heartbeat, resume, and reconnect with backoff. */
export function createGatewayClient<Event extends AnyEvent>(options: GatewayClientOptions<Event>) {
  const { timers, timing, random } = options
  const credential = options.token === undefined ? {} : { token: options.token }
  let socket: GatewaySocket | undefined
  let session: { id: string; url: string } | undefined
  let seq = 0
  let failures = 0
  let resuming = false
  let acknowledged = true
  let waitingToRetry = false
  let stopped = new AbortController()
  let cancelHeartbeat = () => {}
  // Of the one timer that is not the heartbeat: the timeout for hello, a retry, or a delayed identify.
  let cancelTimer = () => {}

  function open() {
    waitingToRetry = false
    const { signal } = stopped
    const url = options.resolveUrl(session?.url, failures, signal)
    if (typeof url === 'string') return connect(url)
    url.then(
      resolved => {
        if (!signal.aborted) connect(resolved)
      },
      (error: unknown) => {
        if (!signal.aborted) retryAfterError(error)
      },
    )
  }

  function connect(url: string) {
    try {
      const opened = options.openSocket(url, {
        onMessage: data => {
          if (socket === opened) receive(opened, data)
        },
        onClose: (code, reason) => {
          if (socket === opened) handleClose(code, reason)
        },
      })
      socket = opened
      cancelTimer = timers.after(timing.helloTimeoutMs, () => abandon(opened, 'no hello'))
    } catch (error) {
      retryAfterError(error)
    }
  }

  function retryAfterError(error: unknown) {
    retry(`could not connect: ${error instanceof Error ? error.message : error}`)
  }

  /** Reconnects without waiting for the close event, which a broken network may delay for minutes. */
  function abandon(target: GatewaySocket, reason: string, delayMs?: number) {
    if (socket !== target) return
    detach()
    target.close(resumableClose)
    retry(reason, delayMs)
  }

  /** From here on, events of the current socket are ignored. */
  function detach() {
    socket = undefined
    cancelHeartbeat()
    cancelTimer()
  }

  function handleClose(code: number, reason: string) {
    detach()
    if (code === CloseCode.badToken) {
      close()
      return options.onAuthenticationFailed()
    }
    if (rejectingCodes.includes(code)) {
      close()
      return options.onIdentifyRejected?.(code, reason)
    }
    if (sessionEndingCodes.includes(code)) session = undefined
    retry(`closed with ${code}${reason ? ` ${reason}` : ''}`, delayAfter(code))
  }

  function delayAfter(code: number): number | undefined {
    if (code === CloseCode.serviceRestart) return restartDelay()
    return slowRetryCodes.includes(code) ? timing.maxDelayMs : undefined
  }

  function restartDelay(): number | undefined {
    return timing.restartDelayMs === undefined ? undefined : timing.restartDelayMs * random()
  }

  /** Without `delayMs`, counts a failed attempt and backs off with jitter. */
  function retry(reason: string, delayMs?: number) {
    const limit = Math.min(timing.maxDelayMs, timing.firstDelayMs * 2 ** Math.min(failures, 10))
    const delay = delayMs ?? limit * (0.5 + random() / 2)
    if (delayMs === undefined) failures += 1
    waitingToRetry = true
    options.onDisconnect(reason, Math.round(delay))
    // `onDisconnect` may have closed the client.
    if (waitingToRetry) cancelTimer = timers.after(delay, open)
  }

  function close() {
    stopped.abort()
    const last = socket
    detach()
    waitingToRetry = false
    session = undefined
    last?.close(normalClosure)
  }

  function send(target: GatewaySocket, frame: Frame) {
    target.send(JSON.stringify(frame))
  }

  function scheduleHeartbeat(target: GatewaySocket, delayMs: number, intervalMs: number) {
    cancelHeartbeat = timers.after(delayMs, () => {
      if (!acknowledged) return abandon(target, 'no heartbeat ack')
      acknowledged = false
      send(target, { op: Op.heartbeat, d: seq })
      scheduleHeartbeat(target, intervalMs, intervalMs)
    })
  }

  function identify(target: GatewaySocket) {
    resuming = session !== undefined
    if (session) {
      send(target, { op: Op.resume, d: { ...credential, sessionId: session.id, seq } })
    } else {
      seq = 0
      send(target, { op: Op.identify, d: { ...credential, ...options.identify } })
    }
  }

  function receive(target: GatewaySocket, data: unknown) {
    const frame = parseFrame(data)
    switch (frame?.op) {
      case Op.dispatch:
        return handleDispatch(frame)
      case Op.heartbeat:
        return send(target, { op: Op.heartbeat, d: seq })
      case Op.reconnect:
        return abandon(target, 'the service restarts', restartDelay())
      case Op.invalidSession:
        return handleInvalidSession(target)
      case Op.hello: {
        cancelTimer()
        acknowledged = true
        const intervalMs = heartbeatInterval(frame.d)
        scheduleHeartbeat(target, intervalMs * random(), intervalMs)
        return identify(target)
      }
      case Op.heartbeatAck:
        acknowledged = true
    }
  }

  function handleInvalidSession(target: GatewaySocket) {
    session = undefined
    if (!resuming) return abandon(target, 'the service rejected the session')
    // The socket stays open for an identify. The random delay spreads the clients that lost their sessions together
    // (gateway/protocol-errors).
    cancelTimer()
    cancelTimer = timers.after(1000 * random(), () => identify(target))
  }

  function handleDispatch(frame: Frame) {
    if (frame.s !== undefined) seq = frame.s
    if (frame.t === 'READY') {
      const ready = frame.d as { sessionId: string; resumeUrl: string }
      session = { id: ready.sessionId, url: ready.resumeUrl }
    }
    if (frame.t === 'READY' || frame.t === 'RESUMED') {
      failures = 0
      resuming = false
    }
    // The protocol defines the type of `d` for each event; it is not validated.
    if (frame.t) options.onEvent({ t: frame.t, d: frame.d } as Event)
  }

  return {
    /** Also opens again after `close`, with a new session. */
    open() {
      stopped = new AbortController()
      failures = 0
      open()
    },
    /** Ends the session. */
    close,
    /** Ends the delay before the next attempt, if the client is waiting for one. */
    retryNow() {
      if (!waitingToRetry) return
      cancelTimer()
      failures = 0
      open()
    },
  }
}

/** Adapts a standard WebSocket. Pass a new one, before its first event. */
export function adaptWebSocket(webSocket: WebSocket, { onMessage, onClose }: SocketHandlers): GatewaySocket {
  webSocket.addEventListener('message', ({ data }) => onMessage(data))
  webSocket.addEventListener('close', ({ code, reason }) => onClose(code, reason))
  // A close event follows each error event. Some runtimes throw if nothing listens for errors.
  webSocket.addEventListener('error', () => {})
  return {
    send(text) {
      if (webSocket.readyState === webSocket.OPEN) webSocket.send(text)
    },
    close: code => webSocket.close(code),
  }
}

function parseFrame(data: unknown): Frame | undefined {
  if (typeof data !== 'string') return undefined
  try {
    const frame: unknown = JSON.parse(data)
    return typeof frame === 'object' && frame !== null && 'op' in frame ? (frame as Frame) : undefined
  } catch {
    return undefined
  }
}

function heartbeatInterval(d: unknown): number {
  const interval =
    typeof d === 'object' && d !== null && 'heartbeatInterval' in d ? Number(d.heartbeatInterval) : Number.NaN
  return interval >= 1 ? interval : 41_250
}
