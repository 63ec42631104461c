/** The client of the peer, as the service has one. */
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

/** Codes as a consent would have made them. */
export interface ProviderRequest {
  codes: number
  scope: string
}
