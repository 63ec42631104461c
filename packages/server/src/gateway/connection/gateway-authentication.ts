import { splitDiscordToken } from '@gatehouse/protocol/bot-token'
import type { Intent, PrivilegedIntent } from '@gatehouse/protocol/intents'
import { isInShard, type Shard } from '@gatehouse/protocol/shards'
import type { Sessions } from '../../accounts/sessions/index.ts'
import { describeSecret, hashSecret } from '../../kit/secret.ts'

/** The parts of the WebSocket's opening handshake (RFC 6455 §4) that authentication needs. */
export interface Handshake {
  /** Value of the session cookie. */
  cookie: string | undefined
  origin: string | undefined
  ip: string
  userAgent: string
}

export interface Identity {
  kind: 'user' | 'bot'
  userId: string
  /** The id of the sign-in session or of the application. Its revocation is published on `subjects.control`. */
  credentialId: string
  /** Only for a user: when the sign-in session expires if it is not used again, in ms (sign-in/session-lifetime). */
  expiresAt?: number
  /** Only for a bot. */
  tokenHash?: string
  /** Only for a bot that identified with intents or a shard. */
  options?: BotOptions
}

/** What a bot chose at identify. */
export interface BotOptions {
  intents: readonly Intent[]
  /** Without it, the session receives the events of all servers. */
  shard?: Shard
  /** The name of the wire format, unless it is our own. */
  format?: string
  /** Of a format that sends members with a server: up to this number of members. */
  largeThreshold?: number
  /** The version of the format that the client asked for. */
  version?: number
  /** Those that the session has without asking for them, while they are on in the application. */
  impliedIntents?: readonly PrivilegedIntent[]
}

/** Whether the session receives what happens on the server, or with null in direct messages (gateway/shards). */
export function coversServer(options: BotOptions | undefined, serverId: string | null): boolean {
  return options?.shard === undefined || isInShard(options.shard, serverId)
}

/** The identity that a credential proves. */
export interface Authenticated {
  identity: Identity
  /** The privileged intents that are switched on in the application of the bot. */
  privilegedIntents: readonly PrivilegedIntent[]
}

export interface Authentication {
  /** The origin of BASE_URL. */
  origin: string
  signInSessions: Pick<Sessions, 'authenticateSession' | 'findSession' | 'listExistingIds'>
  /** Of these applications, those whose bot tokens are valid. */
  listValidBots: (applicationIds: readonly string[]) => Promise<ReadonlySet<string>>
  authenticateBot(
    token: string,
  ): Promise<
    { userId: string; applicationId: string; privilegedIntents: readonly PrivilegedIntent[] } | undefined
  >
}

/** The reason of the close code for invalid credentials: what the token is, if it is another kind of secret. */
export function describeInvalid(token: unknown): string {
  const secret = typeof token === 'string' ? describeSecret(token, 'botToken') : undefined
  return secret === undefined ? 'invalid credentials' : `the token is ${secret}`
}

/** Returns undefined if the credentials are invalid. A token takes precedence over the cookie, also an invalid one. */
export async function authenticate(
  { origin, signInSessions, authenticateBot }: Authentication,
  handshake: Handshake,
  token: unknown,
): Promise<Authenticated | undefined> {
  if (token !== undefined) {
    if (typeof token !== 'string') return undefined
    const bot = await authenticateBot(token)
    if (bot === undefined) return undefined
    const { userId, applicationId: credentialId, privilegedIntents } = bot
    return {
      identity: {
        kind: 'bot',
        userId,
        credentialId,
        // As it is stored: not of the parts before it in Discord's form.
        tokenHash: hashSecret(splitDiscordToken(token)?.token ?? token),
      },
      privilegedIntents,
    }
  }
  // Browsers send the cookie from the pages of every site, so the origin is checked (RFC 6455 §10.2).
  if (handshake.cookie === undefined || handshake.origin !== origin) return undefined
  const session = await signInSessions.authenticateSession(handshake.cookie, handshake)
  if (session === undefined) return undefined
  const { userId, sessionId: credentialId, expiresAt } = session
  return { identity: { kind: 'user', userId, credentialId, expiresAt }, privilegedIntents: [] }
}
