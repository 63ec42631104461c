import type { TestResponse } from '@gatehouse/testkit/service'

export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>

export interface RegisteredClient {
  id: string
  secret: string | undefined
  redirectUri: string
}

/** An authorization server under test. */
export interface AuthorizationServer {
  issuer: string
  /** The discovery document. */
  metadata: Readonly<Record<string, string>>
  confidential: RegisteredClient
  /** Another client with a secret. */
  other: RegisteredClient
  /** A client without a secret. */
  public: RegisteredClient
  /** The `sub` of the signed-in user. */
  subject: string
  /** `openid` and the scopes of the userinfo claims. */
  scope: string
  /**
   * Sends an authorization request, and submits the sign-in and consent pages. Returns the last response: a redirect to
   * the client, or an error page.
   */
  authorize(query: string): Promise<TestResponse>
  /** Sends a request without cookies. */
  send(url: string, init?: RequestInit): Promise<TestResponse>
}
