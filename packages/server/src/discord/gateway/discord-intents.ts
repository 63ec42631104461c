import type { Intent } from '@gatehouse/protocol/intents'
import { numberToText } from '@gatehouse/protocol/json-object'

/** The bits of Discord's intents that we have. All others are ignored, because they have no events here. */
const intentBits: readonly (readonly [bit: bigint, intent: Intent])[] = [
  [0n, 'servers'], // GUILDS
  [1n, 'members'], // GUILD_MEMBERS
  [2n, 'moderation'], // GUILD_MODERATION
  [5n, 'webhooks'], // GUILD_WEBHOOKS
  [6n, 'invites'], // GUILD_INVITES
  [9n, 'messages'], // GUILD_MESSAGES
  [12n, 'directMessages'], // DIRECT_MESSAGES
  [15n, 'messageContent'], // MESSAGE_CONTENT
]

/** Undefined unless it is an integer from 0, as a number or in digits. */
export function fromDiscordIntents(value: unknown): readonly Intent[] | undefined {
  const digits = numberToText(value)
  if (typeof digits !== 'string' || !/^\d{1,20}$/.test(digits)) return undefined
  const bits = BigInt(digits)
  return intentBits.flatMap(([bit, intent]) => ((bits >> bit) & 1n ? intent : []))
}
