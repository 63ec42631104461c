/** The OAuth client at the peer, with the same settings as the client at the service. */
export const client = {
  id: '1000000000000000000',
  secret: 'gcs_0000000000000000000000000000000000000000000000000',
  redirectUri: 'https://app.example/callback',
} as const

export const person = {
  preferred_username: 'ana',
  name: 'Ana',
  picture: 'http://127.0.0.1/images/users/1/default',
} as const

/** Requests authorization codes without a consent page. */
export interface ProviderRequest {
  codes: number
  scope: string
}
