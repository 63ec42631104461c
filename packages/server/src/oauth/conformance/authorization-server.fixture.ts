import type { Reply } from '../../testing.ts'

export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>

export interface RegisteredClient {
  id: string
  secret: string | undefined
  redirectUri: string
}

/** An authorization server of this profile, seen from outside. */
export interface AuthorizationServer {
  issuer: string
  /** Of the discovery document. */
  metadata: Readonly<Record<string, string>>
  confidential: RegisteredClient
  /** Another one with a secret. */
  other: RegisteredClient
  /** Without a secret. */
  open: RegisteredClient
  /** The person who is signed in, by their `sub`. */
  subject: string
  /** The scope that userinfo wants, beside `openid`. */
  scope: string
  /**
   * The person is sent to the authorization endpoint, goes through the forms and allows what is asked: the last answer,
   * which leads out of the service or is a page of an error.
   */
  authorize(query: string): Promise<Reply>
  /** Without cookies. */
  send(url: string, init?: RequestInit): Promise<Reply>
}
