import { oneOf } from './wire.ts'

/** The scopes that an application can request (sign-in/unknown-scopes covers the last two). */
export const scopeTexts = {
  identify: 'User id, username, display name, avatar.',
  email: 'Email and whether it is confirmed.',
  servers: "The user's server list.",
  'servers.members.read': "The user's nickname, roles and time-out on a server.",
  openid: 'A signed id_token.',
  groups: "The user's groups, which the application derives from roles on its server.",
  bot: "Adds the application's bot to a server. No token is issued.",
  'applications.commands': 'Slash commands of the bot on the server; used together with bot.',
  profile: 'Another name of identify.',
  offline_access: 'Accepted without effect: a refresh token always comes with an access token.',
} as const

export type Scope = keyof typeof scopeTexts

export const scopes = Object.keys(scopeTexts).filter(isScope)

export const Scope = oneOf(scopes, 'A scope, with the name from the request.')

export function isScope(name: string): name is Scope {
  return Object.hasOwn(scopeTexts, name)
}

/** The scope of a name: `profile` is a synonym of `identify` (sign-in/unknown-scopes). */
export function canonicalScope(scope: Scope): Exclude<Scope, 'profile'> {
  return scope === 'profile' ? 'identify' : scope
}

// RFC 6749 §3.3: scope-token = 1*( %x21 / %x23-5B / %x5D-7E )
const token = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/**
 * The known scopes of a space-separated list, each once, in the order given; unknown ones are omitted
 * (sign-in/unknown-scopes). Undefined if the list is malformed (RFC 6749 §3.3); empty if it has no known scope.
 */
export function parseScopes(text: string): Scope[] | undefined {
  // Most requests have one scope.
  if (isScope(text)) return [text]
  const names = text.split(' ').filter(name => name !== '')
  if (!names.every(name => token.test(name))) return undefined
  return [...new Set(names)].filter(isScope)
}

export function formatScopes(list: readonly Scope[]): string {
  return list.join(' ')
}
