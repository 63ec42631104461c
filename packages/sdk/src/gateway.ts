import type { Timers } from './clock.ts'
import { type GatehouseError, TokenError } from './errors.ts'
import type { InteractionEvent, Ready, Server } from './types.ts'

/** What a bot is told (the contract, Gateway). */
export interface GatewayEvents {
  READY: Ready
  RESUMED: Record<string, never>
  INTERACTION_CREATE: InteractionEvent
  SERVER_ADD: Server
  SERVER_REMOVE: { id: string }
}

export type GatewayEvent = {
  [Name in keyof GatewayEvents]: { t: Name; d: GatewayEvents[Name] }
}[keyof GatewayEvents]

export interface GatewayOptions {
  token: string
  findUrl(signal: AbortSignal): Promise<string>
  openSocket(url: string): WebSocket
  timers: Timers
  /** From 0 up to 1. */
  random(): number
  onEvent(event: GatewayEvent): void
  /** The connection is gone and is made again after `retryMs`. */
  onDisconnect(why: string, retryMs: number): void
  /** It is over, and connecting again would not help. */
  onFatal(error: GatehouseError): void
}

export interface Gateway {
  open(): void
  close(): void
}

const backOff = { firstMs: 1000, mostMs: 60_000, helloMs: 15_000, restartMs: 2000 } as const

// RFC 6455 §7.4.2: 4000 to 4999 are for private use; 1000 would end the session.
const keepSession = 4900

interface Frame {
  op: number
  d?: unknown
  s?: number
  t?: string
}

/** The bot's end of the gateway: identifies, beats, resumes, comes back by itself. Knows nothing of commands. */
export function createGateway(options: GatewayOptions): Gateway {
  const { timers, random } = options
  let socket: WebSocket | undefined
  let session: { id: string; url: string } | undefined
  let seq = 0
  let failures = 0
  let resuming = false
  let acknowledged = true
  let stopped = new AbortController()
  let cancelBeat = () => {}
  let cancelWait = () => {}

  function open() {
    connect(stopped.signal).catch((error: unknown) => {
      if (stopped.signal.aborted) return
      if (error instanceof TokenError) return fail(error)
      again(`could not connect: ${error instanceof Error ? error.message : error}`)
    })
  }

  async function connect(signal: AbortSignal) {
    // The address of the session is the best one; where it does not answer, the service says another.
    const url = session && failures === 0 ? session.url : await options.findUrl(signal)
    if (signal.aborted) return
    const opened = options.openSocket(url)
    socket = opened
    cancelWait = timers.after(backOff.helloMs, () => drop(opened, 'no hello'))
    opened.addEventListener('message', ({ data }) => {
      if (socket === opened) receive(opened, data)
    })
    opened.addEventListener('close', ({ code, reason }) => {
      if (socket === opened) closed(code, reason)
    })
    // What went wrong comes with the close that follows.
    opened.addEventListener('error', () => {})
  }

  /** Leaves a socket without waiting for its own close: one that does not answer may take long to say so. */
  function drop(dead: WebSocket, why: string, restart = false) {
    if (socket !== dead) return
    leave()
    dead.close(keepSession)
    again(why, restart ? backOff.restartMs * random() : undefined)
  }

  function leave() {
    socket = undefined
    cancelBeat()
    cancelWait()
  }

  function closed(code: number, reason: string) {
    leave()
    const why = `closed with ${code}${reason ? ` ${reason}` : ''}`
    if (code === 4004) {
      const advice = 'make a new one in the developer console'
      return fail(
        new TokenError(`The gateway refused the bot token (4004); it is wrong or was reset: ${advice}.`),
      )
    }
    // A protocol fault or an unknown sequence: that session cannot be resumed.
    if (code === 4007 || (code >= 4001 && code <= 4005)) session = undefined
    if (code === 1012) return again(why, backOff.restartMs * random())
    again(why, code === 4008 ? backOff.mostMs : undefined)
  }

  function again(why: string, givenMs?: number) {
    const limit = Math.min(backOff.mostMs, backOff.firstMs * 2 ** Math.min(failures, 10))
    const delay = givenMs ?? limit * (0.5 + random() / 2)
    if (givenMs === undefined) failures += 1
    options.onDisconnect(why, Math.round(delay))
    cancelWait = timers.after(delay, open)
  }

  function fail(error: GatehouseError) {
    close()
    options.onFatal(error)
  }

  function close() {
    stopped.abort()
    const last = socket
    leave()
    session = undefined
    last?.close(1000)
  }

  function send(target: WebSocket, frame: Frame) {
    if (target.readyState === target.OPEN) target.send(JSON.stringify(frame))
  }

  function beat(target: WebSocket, afterMs: number, everyMs: number) {
    cancelBeat = timers.after(afterMs, () => {
      if (!acknowledged) return drop(target, 'no heartbeat ack')
      acknowledged = false
      send(target, { op: 1, d: seq })
      beat(target, everyMs, everyMs)
    })
  }

  function identify(target: WebSocket) {
    const { token } = options
    resuming = session !== undefined
    if (session) send(target, { op: 6, d: { token, sessionId: session.id, seq } })
    else {
      seq = 0
      send(target, { op: 2, d: { token } })
    }
  }

  function receive(target: WebSocket, data: unknown) {
    const frame = parseFrame(data)
    switch (frame?.op) {
      case 0:
        return dispatched(frame)
      case 1:
        return send(target, { op: 1, d: seq })
      case 7:
        return drop(target, 'the service restarts', true)
      case 9:
        return refuseSession(target)
      case 10: {
        cancelWait()
        acknowledged = true
        const everyMs = heartbeatInterval(frame.d)
        beat(target, everyMs * random(), everyMs)
        return identify(target)
      }
      case 11:
        acknowledged = true
    }
  }

  function refuseSession(target: WebSocket) {
    session = undefined
    if (!resuming) return drop(target, 'the session was refused')
    // D62: the socket stays open to identify; spread, because many lose their sessions at the same time.
    cancelWait()
    cancelWait = timers.after(1000 * random(), () => identify(target))
  }

  function dispatched(frame: Frame) {
    if (frame.s !== undefined) seq = frame.s
    // A parse edge: the contract says what stands in `d` of each event.
    const event = { t: frame.t, d: frame.d } as GatewayEvent
    if (event.t === 'READY') session = { id: event.d.sessionId, url: event.d.resumeUrl }
    if (event.t === 'READY' || event.t === 'RESUMED') {
      failures = 0
      resuming = false
    }
    options.onEvent(event)
  }

  return {
    open() {
      stopped = new AbortController()
      failures = 0
      open()
    },
    close,
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
  const given =
    typeof d === 'object' && d !== null && 'heartbeatInterval' in d ? Number(d.heartbeatInterval) : Number.NaN
  return given >= 1 ? given : 41_250
}
