import { CloseCode } from '@gatehouse/protocol/gateway'
import { type Intent, intents, type PrivilegedIntent, privilegedIntents } from '@gatehouse/protocol/intents'
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
  { kind }: Pick<Identity, 'kind'>,
): ParsedOptions {
  if (names === undefined && shard === undefined) return {}
  const intentsError = names === undefined ? undefined : findIntentsError(names, kind)
  if (intentsError !== undefined) return { error: [CloseCode.invalidIntents, intentsError] }
  const chosen = (names ?? []) as readonly Intent[]
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

/** Why the connection must be closed, if a privileged intent is off (gateway/privileged-intents). */
export function findDisallowedIntent(
  options: BotOptions | undefined,
  { privilegedIntents: allowed }: Pick<Authenticated, 'privilegedIntents'>,
): ProtocolError | undefined {
  const name = privilegedIntents.find(
    intent => options?.intents.includes(intent) && !allowed.includes(intent),
  )
  return name && disallowedIntent(name)
}

function disallowedIntent(name: PrivilegedIntent): ProtocolError {
  return [CloseCode.disallowedIntents, `the intent ${name} is off in the application`]
}
