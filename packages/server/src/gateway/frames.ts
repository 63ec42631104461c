import { type HelloFrame, type InvalidSessionFrame, Op } from '@gatehouse/protocol/gateway'
import { heartbeatIntervalMs } from '@gatehouse/protocol/limits'

const hello: HelloFrame = { op: Op.hello, d: { heartbeatInterval: heartbeatIntervalMs } }
const invalidSession: InvalidSessionFrame = { op: Op.invalidSession, d: false }

/** The frames of the server that are always the same. */
export const frames = {
  hello: JSON.stringify(hello),
  heartbeatAck: JSON.stringify({ op: Op.heartbeatAck }),
  reconnect: JSON.stringify({ op: Op.reconnect }),
  invalidSession: JSON.stringify(invalidSession),
} as const

export interface ClientFrame {
  op: number
  d: unknown
}

/** Undefined where it is no JSON, or has no number as `op` (D62). */
export function readFrame(text: string): ClientFrame | undefined {
  const frame = parsed(text)
  return isObject(frame) && typeof frame.op === 'number' ? { op: frame.op, d: frame.d } : undefined
}

/** `d` of identify, whose members are all optional; undefined where it is no object. */
export function readIdentify(d: unknown): { token: unknown } | undefined {
  if (d === undefined || d === null) return { token: undefined }
  return isObject(d) ? { token: d.token } : undefined
}

/** `d` of resume; undefined where it is no object. */
export function readResume(d: unknown): { token: unknown; sessionId: unknown; seq: unknown } | undefined {
  return isObject(d) ? { token: d.token, sessionId: d.sessionId, seq: d.seq } : undefined
}

/** The `s` of an event, as the client says it back. */
export function isSequence(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

/**
 * `d` of heartbeat: the last `s`, null before the first. Which one it is does not matter: after a resume that came to
 * nothing it is one of the session before.
 */
export function isHeartbeat(d: unknown): boolean {
  return d === undefined || d === null || isSequence(d)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
