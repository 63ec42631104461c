/**
 * The parameters of a request (RFC 6749 §3.1). An empty parameter counts as omitted. `findInvalid` returns one to
 * reject.
 */
export class Parameters {
  readonly pairs: readonly (readonly [name: string, value: string])[]
  /**
   * Names whose value is not valid UTF-8, so that it cannot be returned unchanged. Empty for forms, where such bytes
   * become U+FFFD.
   */
  readonly undecodable: ReadonlySet<string>
  readonly #values = new Map<string, string>()
  readonly #repeated = new Set<string>()

  constructor(pairs: readonly (readonly [string, string])[], undecodable: ReadonlySet<string> = new Set()) {
    this.pairs = pairs
    this.undecodable = undecodable
    for (const [name, value] of pairs) {
      if (this.#values.has(name)) this.#repeated.add(name)
      else this.#values.set(name, value)
    }
  }

  /**
   * Undefined if the parameter is omitted or empty. Returns the first value of a repeated parameter: see `isRepeated`.
   */
  get(name: string): string | undefined {
    const value = this.#values.get(name)
    return value === '' ? undefined : value
  }

  /** The same, but an empty value remains empty: for `state`, which is returned unchanged. */
  getUnchanged(name: string): string | undefined {
    return this.#values.get(name)
  }

  isRepeated(name: string): boolean {
    return this.#repeated.has(name)
  }

  /**
   * The first of the names that is repeated, cannot be decoded, or has a value with U+0000, which cannot be stored
   * (limits/text-length); `state` is not stored. `names` are the parameters that an endpoint knows: others are ignored,
   * also if they are repeated (RFC 6749 §3.1, §3.2).
   */
  findInvalid(names: readonly string[]): string | undefined {
    return names.find(
      name =>
        this.isRepeated(name) ||
        this.undecodable.has(name) ||
        (name !== 'state' && this.get(name)?.includes('\u0000') === true),
    )
  }

  without(name: string): Parameters {
    return new Parameters(
      this.pairs.filter(pair => pair[0] !== name),
      this.undecodable.difference(new Set([name])),
    )
  }

  with(name: string, value: string): Parameters {
    const { pairs, undecodable } = this.without(name)
    return new Parameters([...pairs, [name, value]], undecodable)
  }

  /**
   * A query without the question mark. Equal parameters in the same order give the same text. An undecodable value
   * remains undecodable, so that a request that returns from the sign-in is rejected too.
   */
  toString(): string {
    return this.pairs
      .map(([name, value]) => {
        const encoded = this.undecodable.has(name) ? '%FF' : encodeURIComponent(value)
        return `${encodeURIComponent(name)}=${encoded}`
      })
      .join('&')
  }
}

const none = new Parameters([])

/** The query parameters of a URL or path. */
export function parseQuery(url: string): Parameters {
  const question = url.indexOf('?')
  if (question < 0) return none
  const undecodable = new Set<string>()
  const pairs = url
    .slice(question + 1)
    .split('&')
    .filter(part => part !== '')
    .map((part): [string, string] => {
      const equals = part.indexOf('=')
      const name = decode(equals < 0 ? part : part.slice(0, equals)) ?? ''
      const value = equals < 0 ? '' : decode(part.slice(equals + 1))
      if (value === undefined) undecodable.add(name)
      return [name, value ?? '']
    })
  return new Parameters(pairs, undecodable)
}

/** The parameters of a parsed form; none if the body is not a form. */
export function toParameters(body: unknown): Parameters {
  if (typeof body !== 'object' || body === null) return none
  const pairs: [string, string][] = []
  for (const [name, value] of Object.entries(body)) {
    const values: unknown[] = Array.isArray(value) ? value : [value]
    for (const one of values) {
      if (typeof one !== 'string') return none
      pairs.push([name, one])
    }
  }
  return new Parameters(pairs)
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
