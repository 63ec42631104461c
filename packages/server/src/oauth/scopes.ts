import {
  canonicalScope,
  formatScopes,
  parseScopes as parseScopeNames,
  type Scope,
} from '@gatehouse/protocol/scopes'

/** The canonical name of a scope: `identify`, never its synonym `profile` (sign-in/unknown-scopes). */
export type CanonicalScope = ReturnType<typeof canonicalScope>

/** A set of scopes that remembers the requested names. */
export interface Scopes {
  /** In the requested order, with the requested names. */
  readonly names: readonly Scope[]
  /** Without duplicates. */
  readonly canonical: readonly CanonicalScope[]
  has(scope: CanonicalScope): boolean
  filter(predicate: (scope: CanonicalScope) => boolean): Scopes
  /** The requested names, separated by spaces. */
  toString(): string
}

export function createScopes(names: readonly Scope[]): Scopes {
  const canonical = [...new Set(names.map(canonicalScope))]
  return {
    names,
    canonical,
    has: scope => canonical.includes(scope),
    filter: predicate => createScopes(names.filter(name => predicate(canonicalScope(name)))),
    toString: () => formatScopes(names),
  }
}

/** Undefined if the text is malformed (RFC 6749 §3.3). Ignores unknown scopes (sign-in/unknown-scopes). */
export function parseScopes(text: string): Scopes | undefined {
  const names = parseScopeNames(text)
  return names && createScopes(names)
}

/** The scopes that install the application on a server. They are not part of a token (sign-in/bot-installation). */
export function isInstallationScope(scope: CanonicalScope): boolean {
  return scope === 'bot' || scope === 'applications.commands'
}

/**
 * The scopes that need the user's consent and that tokens have. `offline_access` is not one of them: it has no effect
 * (sign-in/unknown-scopes).
 */
export function isUserScope(scope: CanonicalScope): boolean {
  return !isInstallationScope(scope) && scope !== 'offline_access'
}
