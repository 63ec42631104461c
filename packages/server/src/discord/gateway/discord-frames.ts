import { CloseCode, Op } from '@gatehouse/protocol/gateway'
import { isJsonObject } from '@gatehouse/protocol/json-object'
import { heartbeatIntervalMs } from '@gatehouse/protocol/limits'
import type { IdentifyData, ResumeData } from '../../gateway/connection/frames.ts'
import type { ProtocolError } from '../../gateway/wire-format.ts'
import { fromDiscordIntents } from './discord-intents.ts'

/** `BotOptions.format`. Sessions that move between nodes have it, so it stays. */
export const formatName = 'discord'

/** Opcodes that our own gateway does not have. */
export const DiscordOp = {
  presenceUpdate: 3,
  voiceStateUpdate: 4,
  requestGuildMembers: 8,
  requestSoundboardSounds: 31,
} as const

/** INVALID_VERSION: clients do not reconnect. */
const invalidVersion = 4012
/** A normal closure (RFC 6455 §7.4.1): clients wait before they connect again. */
const normalClosure = 1000

export const discordFrames = {
  hello: toFrame(Op.hello, { heartbeat_interval: heartbeatIntervalMs }),
  heartbeatAck: toFrame(Op.heartbeatAck, null),
  reconnect: toFrame(Op.reconnect, null),
  invalidSession: toFrame(Op.invalidSession, false),
} as const

function toFrame(op: Op, d: unknown): string {
  return JSON.stringify({ t: null, s: null, op, d })
}

/**
 * A reviver for `JSON.parse`: an id that a client writes as a number stays exact, as text. discord.py writes them so.
 */
export function keepLargeIntegers(_key: string, value: unknown, context?: { source?: string }): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? (context?.source ?? value) : value
}

/** The newest is the first. */
export const versions = [10, 9] as const
export type Version = (typeof versions)[number]

export const noVersion: ProtocolError = [invalidVersion, 'v must be 10 or 9']
export const noEncoding: ProtocolError = [invalidVersion, 'encoding must be json']

const contentIntents = ['messageContent'] as const
const largeThreshold = { min: 50, max: 250 } as const

/** Other members, such as `properties` and `presence`, have no effect. */
export function parseDiscordIdentify(d: unknown, version: Version): IdentifyData | ProtocolError | undefined {
  if (!isJsonObject(d)) return undefined
  const intents = fromDiscordIntents(d.intents)
  if (intents === undefined) return [CloseCode.invalidIntents, 'intents must be a sum of bits']
  const { min, max } = largeThreshold
  // As before version 10, the switch in the console is enough (discord/intents).
  const impliedIntents = version === 9 && !intents.includes('messageContent') ? contentIntents : []
  const threshold = typeof d.large_threshold === 'number' ? Math.trunc(d.large_threshold) : min
  return {
    token: toBotToken(d.token),
    intents,
    shard: d.shard ?? undefined,
    options: {
      format: formatName,
      largeThreshold: Math.min(max, Math.max(min, threshold)),
      version,
      impliedIntents,
    },
  }
}

export function parseDiscordResume(d: unknown): ResumeData | undefined {
  return isJsonObject(d) ? { token: toBotToken(d.token), sessionId: d.session_id, seq: d.seq } : undefined
}

/** Never undefined, because the cookie of a user is no credential here. */
function toBotToken(token: unknown): string {
  return typeof token === 'string' ? token.replace(/^Bot /, '') : ''
}

/**
 * Clients connect again immediately after 4008 and after codes that Discord's gateway does not have. After 1000 they
 * wait, or get a new session.
 */
export function toDiscordCloseCode(code: number, hasSession: boolean): number {
  const isLimit = code === CloseCode.tooManyConnections || (code === CloseCode.rateLimited && !hasSession)
  return isLimit ? normalClosure : code
}
