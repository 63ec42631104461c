/** Who is calling (the contract, "Who is calling"). */
export interface SessionCaller {
  kind: 'session'
  userId: string
  sessionId: string
}

export interface BearerCaller {
  kind: 'bearer'
  userId: string
  applicationId: string
  scopes: readonly string[]
}

export interface BotCaller {
  kind: 'bot'
  userId: string
  applicationId: string
}

export type Caller = SessionCaller | BearerCaller | BotCaller

/**
 * Which callers a route lets in. `bearer` names the scopes of which the token must have one. `anyone` lets in callers
 * without a credential; one that is there is looked at all the same where its kind is named.
 */
export interface Accepts {
  readonly session?: true
  readonly bot?: true
  readonly bearer?: readonly string[]
  readonly anyone?: true
}

export type CallerOf<A extends Accepts> =
  | (A extends { session: true } ? SessionCaller : never)
  | (A extends { bot: true } ? BotCaller : never)
  | (A extends { bearer: readonly string[] } ? BearerCaller : never)
  | (A extends { anyone: true } ? undefined : never)
