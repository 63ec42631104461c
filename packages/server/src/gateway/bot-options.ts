import { CloseCode } from '@gatehouse/protocol/gateway'
import { type Intent, intents, type PrivilegedIntent, privilegedIntents } from '@gatehouse/protocol/intents'
import type { Authenticated, BotOptions, Identity } from './authenticate.ts'
import type { ProtocolError } from './connection.ts'
import type { IdentifyData } from './frames.ts'

interface ParsedOptions {
  /** Undefined without intents. */
  options?: BotOptions
  /** Why the connection must be closed. */
  error?: ProtocolError
}

/** Reads what a bot chooses at identify (gateway/intents). */
export function parseBotOptions(
  { intents: names }: Pick<IdentifyData, 'intents'>,
  { kind }: Pick<Identity, 'kind'>,
): ParsedOptions {
  if (names === undefined) return {}
  if (kind === 'user') return invalidIntents('intents are for bots')
  if (!Array.isArray(names) || !names.every(isIntent)) {
    return invalidIntents(`intents must be an array of: ${intents.join(', ')}`)
  }
  if (new Set(names).size < names.length) return invalidIntents('intents must not contain a name twice')
  return names.length === 0 ? {} : { options: { intents: names } }
}

function invalidIntents(reason: string): ParsedOptions {
  return { error: [CloseCode.invalidIntents, reason] }
}

function isIntent(name: unknown): name is Intent {
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
