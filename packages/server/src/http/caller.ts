/** A user with a session cookie. */
export interface SessionCaller {
  kind: 'session'
  userId: string
  sessionId: string
  /** `X-Audit-Log-Reason`, on routes with `auditReason` (community/audit-reason). */
  reason?: string
}

/** An OAuth client with an access token of a user. */
export interface BearerCaller {
  kind: 'bearer'
  userId: string
  applicationId: string
  scopes: readonly string[]
}

/** A bot with its bot token. */
export interface BotCaller {
  kind: 'bot'
  userId: string
  applicationId: string
  /** `X-Audit-Log-Reason`, on routes with `auditReason` (community/audit-reason). */
  reason?: string
  /** Of a message through Discord's API: its event repeats it, and nothing else depends on it (discord/nonce). */
  repeatedNonce?: string
}

export type Caller = SessionCaller | BearerCaller | BotCaller

/**
 * The key by which the limits of requests count a caller: user or bot, or user and application for an access token, so
 * that an application cannot use up the limits of its user (limits/requests).
 */
export function limitKeyOf(
  caller:
    | Pick<SessionCaller | BotCaller, 'kind' | 'userId'>
    | Pick<BearerCaller, 'kind' | 'userId' | 'applicationId'>,
): string {
  return caller.kind === 'bearer' ? `${caller.userId} ${caller.applicationId}` : caller.userId
}

/**
 * The kinds of callers that a route accepts. `bearer` lists scopes of which the token must have at least one.
 * `anonymous` accepts requests without credentials; credentials of the other listed kinds are still verified.
 */
export interface AcceptedCallers {
  readonly session?: true
  readonly bot?: true
  readonly bearer?: readonly string[]
  readonly anonymous?: true
}

export type CallerOf<A extends AcceptedCallers> =
  | (A extends { session: true } ? SessionCaller : never)
  | (A extends { bot: true } ? BotCaller : never)
  | (A extends { bearer: readonly string[] } ? BearerCaller : never)
  | (A extends { anonymous: true } ? undefined : never)
