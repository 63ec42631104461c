import { CloseCode } from '@gatehouse/protocol/gateway'
import { type Intent, intents, privilegedIntents } from '@gatehouse/protocol/intents'
import { maxShards } from '@gatehouse/protocol/limits'
import { isShard } from '@gatehouse/protocol/shards'
import type { ProtocolError } from '../wire-format.ts'
import type { IdentifyData } from './frames.ts'
import type { Authenticated, BotOptions, Identity } from './gateway-authentication.ts'

interface ParsedOptions {
  /** Undefined without intents and shard. */
  options?: BotOptions
  /** Why the connection must be closed. */
  error?: ProtocolError
}

/** Reads what a bot chooses at identify (gateway/intents, gateway/shards). */
export function parseBotOptions(
  { intents: names, shard, options: ofFormat }: Omit<IdentifyData, 'token'>,
  { identity: { kind }, privilegedIntents: allowed }: Authenticated,
): ParsedOptions {
  if (names === undefined && shard === undefined) return {}
  const intentsError = names === undefined ? undefined : findIntentsError(names, kind)
  if (intentsError !== undefined) return { error: [CloseCode.invalidIntents, intentsError] }
  const implied = ofFormat?.impliedIntents?.filter(intent => allowed.includes(intent)) ?? []
  const chosen = [...((names ?? []) as readonly Intent[]), ...implied]
  if (shard === undefined) {
    return chosen.length === 0 && ofFormat === undefined ? {} : { options: { intents: chosen, ...ofFormat } }
  }
  if (kind === 'user') return { error: [CloseCode.invalidShard, 'shards are for bots'] }
  if (isShard(shard)) return { options: { intents: chosen, shard, ...ofFormat } }
  return {
    error: [CloseCode.invalidShard, `shard must be [id, count] with 0 <= id < count <= ${maxShards}`],
  }
}

function findIntentsError(names: unknown, kind: Identity['kind']): string | undefined {
  if (kind === 'user') return 'intents are for bots'
  if (!Array.isArray(names) || !names.every(isIntent)) {
    return `intents must be an array of: ${intents.join(', ')}`
  }
  return new Set(names).size < names.length ? 'intents must not contain a name twice' : undefined
}

function isIntent(name: unknown): boolean {
  return intents.some(intent => intent === name)
}

/**
 * Why the connection must be closed, if a privileged intent is off (gateway/privileged-intents). Also if one that the
 * bot did not ask for was switched: the client connects again, and gets what is on now.
 */
export function findDisallowedIntent(
  options: BotOptions | undefined,
  { privilegedIntents: allowed }: Pick<Authenticated, 'privilegedIntents'>,
): ProtocolError | undefined {
  const { intents: chosen = [], impliedIntents: implied = [] } = options ?? {}
  const switched = implied.find(name => chosen.includes(name) !== allowed.includes(name))
  if (switched !== undefined) return [CloseCode.unknown, `the intent ${switched} was switched`]
  const off = privilegedIntents.find(name => chosen.includes(name) && !allowed.includes(name))
  return off && [CloseCode.disallowedIntents, `the intent ${off} is off in the application`]
}
