import { formatScopes, meaningOf, parseScopes, type Scope } from '@gatehouse/protocol/scopes'

/** A scope by its own name, never by a synonym (D12). */
export type Meaning = ReturnType<typeof meaningOf>

/** A set of scopes, which remembers the names by which they were asked for. */
export interface Scopes {
  /** In the order and under the names in which they were asked for. */
  readonly names: readonly Scope[]
  has(meaning: Meaning): boolean
  /** Each once, by its own name. */
  readonly meanings: readonly Meaning[]
  filter(keep: (meaning: Meaning) => boolean): Scopes
  /** Space separated. */
  toString(): string
}

export function scopesOf(names: readonly Scope[]): Scopes {
  const meanings = [...new Set(names.map(meaningOf))]
  return {
    names,
    meanings,
    has: meaning => meanings.includes(meaning),
    filter: keep => scopesOf(names.filter(name => keep(meaningOf(name)))),
    toString: () => formatScopes(names),
  }
}

/** Undefined where the text is malformed (RFC 6749 §3.3). Unknown ones are left out (D12). */
export function readScopes(text: string): Scopes | undefined {
  const names = parseScopes(text)
  return names && scopesOf(names)
}

/** The two that add something to a server and give no token (D23). */
export function isInstallation(meaning: Meaning): boolean {
  return meaning === 'bot' || meaning === 'applications.commands'
}

/** What a person allows and a token carries; `offline_access` changes nothing and is not asked about (D12). */
export function isPersonal(meaning: Meaning): boolean {
  return !isInstallation(meaning) && meaning !== 'offline_access'
}
