import type { ApplicationType } from './applications.ts'

/**
 * Whether an authorization request for a code needs a `code_challenge` (sign-in/pkce-required): the client has no
 * secret, or the redirect leads to a native application, which another one on the same device can impersonate (RFC 8252
 * §8.1).
 */
export function requiresPkce(type: ApplicationType, redirectUri: string): boolean {
  return type === 'public' || !/^https?:/.test(redirectUri)
}
