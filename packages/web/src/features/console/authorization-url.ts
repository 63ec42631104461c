import { type Application, type SettingScope, settingScopes } from '@gatehouse/protocol/applications'

/**
 * The scopes for signing in a user; `groups` is known only if the application has groups (sign-in/groups). `bot` and
 * `applications.commands` are only in the install link.
 */
export function offeredScopes({ server }: Pick<Application, 'server'>): SettingScope[] {
  return settingScopes.filter(scope => scope !== 'groups' || (server?.groups ?? []).length > 0)
}

/** OpenID Connect Core §3.1.2.1 needs `openid`, and its examples begin with it. */
const orderedScopes = ['openid', ...settingScopes.filter(scope => scope !== 'openid')] as const

interface AuthorizationChoices {
  redirectUri: string
  scopes: readonly SettingScope[]
}

/**
 * Builds an authorization request URL (RFC 6749, section 4.1.1). `STATE` and `CODE_CHALLENGE` are placeholders for
 * values that the application generates for each request. Without them, developers would copy a URL that works but is
 * insecure.
 */
export function buildAuthorizationUrl(
  origin: string,
  { id, type }: Pick<Application, 'id' | 'type'>,
  { redirectUri, scopes }: AuthorizationChoices,
): string {
  const query = new URLSearchParams({
    client_id: id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: orderedScopes.filter(scope => scopes.includes(scope)).join(' '),
    state: 'STATE',
    ...(type === 'public' ? { code_challenge: 'CODE_CHALLENGE', code_challenge_method: 'S256' } : {}),
  })
  return `${origin}/oauth2/authorize?${query}`
}
