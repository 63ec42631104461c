import type { Application } from '@gatehouse/protocol/applications'

/** What a person can be asked for at the sign-in; `bot` and its like are for the install link. */
export const signInScopes = ['identify', 'email', 'servers', 'openid'] as const
export type SignInScope = (typeof signInScopes)[number]

interface Choice {
  redirectUri: string
  scopes: readonly SignInScope[]
}

/**
 * Where an application sends people to sign in. `STATE` and `CODE_CHALLENGE` stand for what the application makes anew each
 * time: an address that is right without them would be copied as it is.
 */
export function signInAddress(
  origin: string,
  { id, type }: Pick<Application, 'id' | 'type'>,
  { redirectUri, scopes }: Choice,
): string {
  const query = new URLSearchParams({
    client_id: id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: signInScopes.filter(scope => scopes.includes(scope)).join(' '),
    state: 'STATE',
    ...(type === 'public' ? { code_challenge: 'CODE_CHALLENGE', code_challenge_method: 'S256' } : {}),
  })
  return `${origin}/oauth2/authorize?${query}`
}
