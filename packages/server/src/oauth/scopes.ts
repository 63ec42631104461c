import {
  canonicalScope,
  formatScopes,
  parseScopes as parseScopeNames,
  type Scope,
} from '@gatehouse/protocol/scopes'
import type { ApplicationRecord } from '../applications/index.ts'

/** The canonical name of a scope: `identify`, never its synonym `profile` (sign-in/scopes-and-consent). */
export type CanonicalScope = ReturnType<typeof canonicalScope>

/** A set of scopes that remembers the requested names. */
export interface Scopes {
  /** In the requested order, with the requested names. */
  readonly names: readonly Scope[]
  /** Without duplicates. */
  readonly canonical: readonly CanonicalScope[]
  /** Those that install the application on a server. They are not part of a token (sign-in/bot-installation). */
  readonly installation: readonly CanonicalScope[]
  /**
   * Those that need the user's consent and that tokens have; not `offline_access`, which has no effect
   * (sign-in/scopes-and-consent).
   */
  readonly user: readonly CanonicalScope[]
  has(scope: CanonicalScope): boolean
  without(scopes: readonly CanonicalScope[]): Scopes
  /** The requested names, separated by spaces. */
  toString(): string
}

function createScopes(names: readonly Scope[]): Scopes {
  const canonical = [...new Set(names.map(canonicalScope))]
  const isInstallation = (scope: CanonicalScope) => scope === 'bot' || scope === 'applications.commands'
  return {
    names,
    canonical,
    installation: canonical.filter(isInstallation),
    user: canonical.filter(scope => !isInstallation(scope) && scope !== 'offline_access'),
    has: scope => canonical.includes(scope),
    without: scopes => createScopes(names.filter(name => !scopes.includes(canonicalScope(name)))),
    toString: () => formatScopes(names),
  }
}

/** Undefined if the text is malformed (RFC 6749 §3.3). Ignores unknown scopes (sign-in/unknown-scopes). */
export function parseScopes(text: string): Scopes | undefined {
  const names = parseScopeNames(text)
  return names && createScopes(names)
}

/**
 * The scopes of a request: those that it names, or the default scopes of the application if it names none
 * (sign-in/default-scopes). If a token is requested, the application adds scopes (sign-in/added-scopes). Scopes that
 * are not available are ignored. Undefined if the text is malformed.
 */
export function effectiveScopes(
  { defaultScopes, addedScopes }: Pick<ApplicationRecord, 'defaultScopes' | 'addedScopes'>,
  text: string,
  isAvailable: (scope: CanonicalScope) => boolean,
): Scopes | undefined {
  const names = parseScopeNames(text)
  if (!names) return undefined
  const named = createScopes(names.filter(name => isAvailable(canonicalScope(name))))
  const defaults = createScopes(defaultScopes.filter(isAvailable))
  const isNamed = named.user.length + named.installation.length > 0
  const scopes = isNamed || defaults.user.length === 0 ? named : defaults
  if (scopes.user.length === 0) return scopes
  const added = addedScopes.filter(scope => isAvailable(scope) && !scopes.has(scope))
  return createScopes([...scopes.names, ...added])
}

/** The scopes that an authorization request can have. `groups` needs groups of the application (sign-in/groups). */
export function requestableScopes({ server }: Pick<ApplicationRecord, 'server'>) {
  return (scope: CanonicalScope): boolean => scope !== 'groups' || (server?.groups.length ?? 0) > 0
}
