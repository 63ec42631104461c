/** A user with a session cookie. */
export interface SessionCaller {
  kind: 'session'
  userId: string
  sessionId: string
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
}

export type Caller = SessionCaller | BearerCaller | BotCaller

/**
 * The kinds of callers that a route accepts. `bearer` lists scopes of which the token must have at least one. `anonymous`
 * accepts requests without credentials; credentials of the other listed kinds are still verified.
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
