import type { Intent } from '@gatehouse/protocol/intents'

/** The bits of Discord's intents, with our intent if there is one. The others are accepted, and have no events here. */
const intentBits: readonly (readonly [bit: number, intent?: Intent])[] = [
  [0, 'servers'], // GUILDS
  [1, 'members'], // GUILD_MEMBERS
  [2, 'moderation'], // GUILD_MODERATION
  [3], // GUILD_EXPRESSIONS
  [4], // GUILD_INTEGRATIONS
  [5], // GUILD_WEBHOOKS
  [6], // GUILD_INVITES
  [7], // GUILD_VOICE_STATES
  [8], // GUILD_PRESENCES
  [9, 'messages'], // GUILD_MESSAGES
  [10], // GUILD_MESSAGE_REACTIONS
  [11], // GUILD_MESSAGE_TYPING
  [12, 'directMessages'], // DIRECT_MESSAGES
  [13], // DIRECT_MESSAGE_REACTIONS
  [14], // DIRECT_MESSAGE_TYPING
  [15, 'messageContent'], // MESSAGE_CONTENT
  [16], // GUILD_SCHEDULED_EVENTS
  [20], // AUTO_MODERATION_CONFIGURATION
  [21], // AUTO_MODERATION_EXECUTION
  [24], // GUILD_MESSAGE_POLLS
  [25], // DIRECT_MESSAGE_POLLS
]

const knownBits = intentBits.reduce((all, [bit]) => all | (1 << bit), 0)

/** Undefined unless it is a number with known bits only. */
export function fromDiscordIntents(value: unknown): readonly Intent[] | undefined {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > knownBits)
    return undefined
  if ((value & ~knownBits) !== 0) return undefined
  return intentBits.flatMap(([bit, intent]) =>
    intent !== undefined && (value & (1 << bit)) !== 0 ? intent : [],
  )
}
