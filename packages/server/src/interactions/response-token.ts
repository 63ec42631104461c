import {
  constantTimeEqual,
  createDerivedToken,
  createMac,
  hashSecret,
  type Secret,
  secretPrefixes,
} from '../kit/secret.ts'

/** The id of an interaction and the hash of its token. The hash is empty if the token was revoked. */
interface Issued {
  id: string
  tokenHash: string
  /** Null without a bot that may respond: then no token of Discord's format is right. */
  botTokenHash: string | null
}

/**
 * The token of an interaction that is delivered in Discord's format (discord/interaction-token,
 * docs/decisions/discord.md). It is derived from the hash of the token of our format, so it needs no column, and from
 * that of the bot token, so it ends with it.
 */
export function createDiscordInteractionToken(
  secretKey: Uint8Array,
  { id, tokenHash, botTokenHash }: Issued,
): Secret<'gdi_'> {
  const issued = `${id} ${tokenHash} ${botTokenHash}`
  const mac = createMac(secretKey, 'token of an interaction in Discord format', issued)
  return createDerivedToken(secretPrefixes.discordInteractionToken, id, mac)
}

/** A token of a request, as a hash, so that it can be sent to another node. */
export interface GivenToken {
  tokenHash: string
  /** Of the path. Each accepts only its own tokens. Absent: our own. */
  format?: 'discord'
}

/** The hash of no token: 43 characters like every hash. */
const unmatchable: Issued = { id: '0', tokenHash: '-'.repeat(43), botTokenHash: '-'.repeat(43) }

/** Whether the token is that of the interaction. Does the same work if there is none. */
export function isTokenOf(
  secretKey: Uint8Array,
  { tokenHash, format }: GivenToken,
  issued: Issued = unmatchable,
): boolean {
  const isDiscord = format === 'discord'
  const expected = isDiscord ? hashSecret(createDiscordInteractionToken(secretKey, issued)) : issued.tokenHash
  const isValid =
    issued.tokenHash !== '' && issued !== unmatchable && !(isDiscord && issued.botTokenHash === null)
  return constantTimeEqual(expected, tokenHash) && isValid
}
