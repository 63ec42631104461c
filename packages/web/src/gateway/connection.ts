import type { EventMap } from '@gatehouse/protocol/gateway'

/**
 * The client's end of the gateway (the contract, "Gateway"): hello, identify or resume, heartbeats,
 * back-off with jitter. Knows no DOM: socket, timers and chance are given.
 */
export interface Connection {
  start(): void
  stop(): void
  /** Tries at once where it was waiting: the network is back, or the tab is seen again. */
  nudge(): void
}

export type ConnectionState =
  /** The first connection is being made. */
  | 'connecting'
  | 'ready'
  /** It was ready and will be again. */
  | 'reconnecting'
  /** Signed out (4004) or stopped: nothing is tried any more. */
  | 'ended'

export type GatewayEvent = {
  [Name in keyof EventMap & string]: { t: Name; d: EventMap[Name] }
}[keyof EventMap & string]

export interface Socket {
  send(text: string): void
  close(code?: number): void
  onMessage: (text: string) => void
  onClose: (code: number) => void
}

export interface ConnectionTimers {
  /** Runs `work` after `ms`; the answer cancels it. */
  after(ms: number, work: () => void): () => void
}

export interface ConnectionOptions {
  url: string
  openSocket(url: string): Socket
  timers: ConnectionTimers
  /** From 0 up to 1. */
  random(): number
  onState(state: ConnectionState): void
  onEvent(event: GatewayEvent): void
  /** A new session after an earlier one was lost: events in between are missing. */
  onGap(): void
  /** 4004: the person is signed out. */
  onSignedOut(): void
}

export const backOff = { firstMs: 1000, mostMs: 30_000, helloMs: 10_000 } as const

// RFC 6455 §7.4.2: 4000 to 4999 are for private use; a close by the client keeps the session for a resume.
const closedByClient = 4900

interface Frame {
  op: number
  d?: unknown
  s?: number
  t?: string
}

export function createConnection(options: ConnectionOptions): Connection {
  const { timers, random } = options
  let socket: Socket | undefined
  let session: { id: string; url: string } | undefined
  let seq = 0
  let attempts = 0
  let wasReady = false
  let resuming = false
  let acknowledged = true
  let state: ConnectionState | undefined
  let cancelHeartbeat = () => {}
  let cancelWait = () => {}
  let waiting = false

  function enter(next: ConnectionState) {
    if (state === next) return
    state = next
    options.onState(next)
  }

  function open() {
    waiting = false
    enter(wasReady ? 'reconnecting' : 'connecting')
    const opened = options.openSocket(session?.url ?? options.url)
    socket = opened
    cancelWait = timers.after(backOff.helloMs, () => drop(opened))
    opened.onMessage = text => {
      if (socket === opened) receive(opened, text)
    }
    opened.onClose = code => {
      if (socket === opened) closed(code)
    }
  }

  /** Closes a socket that does not answer, without waiting for its own close. */
  function drop(dead: Socket) {
    if (socket !== dead) return
    dead.close(closedByClient)
    closed(closedByClient)
  }

  function closed(code: number) {
    socket = undefined
    cancelHeartbeat()
    cancelWait()
    if (code === 4004) {
      enter('ended')
      options.onSignedOut()
      return
    }
    // A sequence that the service does not know, or a protocol fault: that session cannot be resumed.
    if (code === 4007 || (code >= 4001 && code <= 4005)) session = undefined
    enter(wasReady ? 'reconnecting' : 'connecting')
    waitAndOpen(code === 4008 ? backOff.mostMs : undefined)
  }

  function waitAndOpen(atLeastMs = 0) {
    const limit = Math.min(backOff.mostMs, backOff.firstMs * 2 ** Math.min(attempts, 10))
    attempts += 1
    waiting = true
    cancelWait = timers.after(Math.max(atLeastMs, limit * (0.5 + random() / 2)), open)
  }

  function send(target: Socket, frame: Frame) {
    target.send(JSON.stringify(frame))
  }

  function beat(target: Socket, afterMs: number, everyMs: number) {
    cancelHeartbeat = timers.after(afterMs, () => {
      if (!acknowledged) return drop(target)
      acknowledged = false
      send(target, { op: 1, d: seq })
      beat(target, everyMs, everyMs)
    })
  }

  function identify(target: Socket) {
    resuming = session !== undefined
    if (session) send(target, { op: 6, d: { sessionId: session.id, seq } })
    else send(target, { op: 2, d: {} })
  }

  function receive(target: Socket, text: string) {
    const frame = parseFrame(text)
    if (!frame) return
    switch (frame.op) {
      case 10: {
        cancelWait()
        acknowledged = true
        const everyMs = heartbeatInterval(frame.d)
        beat(target, everyMs * random(), everyMs)
        return identify(target)
      }
      case 11:
        acknowledged = true
        return
      case 1:
        return send(target, { op: 1, d: seq })
      case 7:
        // The service goes down for a moment: resume elsewhere, spread over a second.
        attempts = 0
        return drop(target)
      case 9:
        // D62: the socket stays open to identify.
        session = undefined
        if (!resuming) return drop(target)
        cancelWait = timers.after(1000 * random(), () => identify(target))
        return
      case 0:
        return dispatched(frame)
    }
  }

  function dispatched(frame: Frame) {
    if (frame.s !== undefined) seq = frame.s
    if (frame.t === 'READY') {
      const ready = frame.d as { sessionId: string; resumeUrl: string }
      session = { id: ready.sessionId, url: ready.resumeUrl }
      const gap = wasReady
      settled()
      options.onEvent({ t: 'READY', d: frame.d } as GatewayEvent)
      if (gap) options.onGap()
      return
    }
    if (frame.t === 'RESUMED') return settled()
    if (frame.t) options.onEvent({ t: frame.t, d: frame.d } as GatewayEvent)
  }

  function settled() {
    attempts = 0
    wasReady = true
    resuming = false
    enter('ready')
  }

  return {
    start: open,
    stop() {
      cancelHeartbeat()
      cancelWait()
      const last = socket
      socket = undefined
      last?.close(1000)
      enter('ended')
    },
    nudge() {
      if (!waiting) return
      cancelWait()
      attempts = 0
      open()
    },
  }
}

function parseFrame(text: string): Frame | undefined {
  try {
    const frame: unknown = JSON.parse(text)
    return typeof frame === 'object' && frame !== null && 'op' in frame ? (frame as Frame) : undefined
  } catch {
    return undefined
  }
}

function heartbeatInterval(d: unknown): number {
  const given =
    typeof d === 'object' && d !== null && 'heartbeatInterval' in d ? Number(d.heartbeatInterval) : Number.NaN
  return given >= 1000 ? given : 41_250
}
