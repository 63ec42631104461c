import { type HelloFrame, type InvalidSessionFrame, Op } from '@gatehouse/protocol/gateway'
import { isJsonObject } from '@gatehouse/protocol/json-object'
import { heartbeatIntervalMs } from '@gatehouse/protocol/limits'
import type { BotOptions } from './gateway-authentication.ts'

const hello: HelloFrame = { op: Op.hello, d: { heartbeatInterval: heartbeatIntervalMs } }
const invalidSession: InvalidSessionFrame = { op: Op.invalidSession, d: false }

export type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown

/** The constant frames of the server. */
export const frames = {
  hello: JSON.stringify(hello),
  heartbeatAck: JSON.stringify({ op: Op.heartbeatAck }),
  reconnect: JSON.stringify({ op: Op.reconnect }),
  invalidSession: JSON.stringify(invalidSession),
} as const

export type ConstantFrames<Frame> = Readonly<Record<keyof typeof frames, Frame>>

/** Undefined if the text is not a JSON object with a numeric `op` (gateway/protocol-errors). */
export function parseFrame(text: string, revive?: Reviver): { op: number; d: unknown } | undefined {
  const frame = parseJson(text, revive)
  return isJsonObject(frame) && typeof frame.op === 'number' ? { op: frame.op, d: frame.d } : undefined
}

export interface IdentifyData {
  token: unknown
  intents: unknown
  shard: unknown
  /** Only of another format than ours. */
  options?: Pick<BotOptions, 'format' | 'largeThreshold' | 'version' | 'impliedIntents'>
}

export interface ResumeData {
  token: unknown
  sessionId: unknown
  seq: unknown
}

/** `d` of identify. All members are optional, so it may be missing. Undefined if it is not an object. */
export function parseIdentify(d: unknown): IdentifyData | undefined {
  const { token, intents, shard } = isJsonObject(d) ? d : {}
  return isJsonObject(d) || d === undefined || d === null ? { token, intents, shard } : undefined
}

/** `d` of resume. Undefined if it is not an object. */
export function parseResume(d: unknown): ResumeData | undefined {
  return isJsonObject(d) ? { token: d.token, sessionId: d.sessionId, seq: d.seq } : undefined
}

export function isSequence(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

/**
 * `d` of heartbeat: the last `s`, or null before the first. Any number is valid, because after a rejected resume it may
 * belong to the previous session.
 */
export function isHeartbeat(d: unknown): boolean {
  return d === undefined || d === null || isSequence(d)
}

function parseJson(text: string, revive?: Reviver): unknown {
  try {
    return JSON.parse(text, revive)
  } catch {
    return undefined
  }
}
