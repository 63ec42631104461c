/** Parameters of a request as RFC 6749 §3.1 reads them: an empty one is absent, a repeated one is an error. */
export class Parameters {
  readonly pairs: readonly (readonly [name: string, value: string])[]
  /** Names that came with bytes that are not UTF-8: nothing could be returned unchanged. */
  readonly garbled: ReadonlySet<string>
  readonly #values = new Map<string, string>()
  readonly #repeated = new Set<string>()

  constructor(pairs: readonly (readonly [string, string])[], garbled: ReadonlySet<string> = new Set()) {
    this.pairs = pairs
    this.garbled = garbled
    for (const [name, value] of pairs) {
      if (this.#values.has(name)) this.#repeated.add(name)
      else this.#values.set(name, value)
    }
  }

  /** The value; undefined where it is absent or empty. The first of a repeated one: see `isRepeated`. */
  get(name: string): string | undefined {
    const value = this.#values.get(name)
    return value === '' ? undefined : value
  }

  isRepeated(name: string): boolean {
    return this.#repeated.has(name)
  }

  /** The names that came more than once, or cannot be read, or hold U+0000 (D8). */
  faulty(): string[] {
    return [...this.#values.keys()].filter(
      name => this.isRepeated(name) || this.garbled.has(name) || this.get(name)?.includes('\u0000') === true,
    )
  }

  without(name: string): Parameters {
    return new Parameters(
      this.pairs.filter(pair => pair[0] !== name),
      this.garbled,
    )
  }

  with(name: string, value: string): Parameters {
    return new Parameters([...this.without(name).pairs, [name, value]], this.garbled)
  }

  /** As a query, without the question mark. Equal requests have equal texts. */
  toString(): string {
    return this.pairs
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      .join('&')
  }
}

const none = new Parameters([])

/** The parameters of the query of an address. */
export function fromQuery(url: string): Parameters {
  const question = url.indexOf('?')
  if (question < 0) return none
  const garbled = new Set<string>()
  const pairs = url
    .slice(question + 1)
    .split('&')
    .filter(part => part !== '')
    .map((part): [string, string] => {
      const equals = part.indexOf('=')
      const name = decode(equals < 0 ? part : part.slice(0, equals)) ?? ''
      const value = equals < 0 ? '' : decode(part.slice(equals + 1))
      if (value === undefined) garbled.add(name)
      return [name, value ?? '']
    })
  return new Parameters(pairs, garbled)
}

/** The parameters of a posted form; of nothing where the body is no form. */
export function fromForm(body: unknown): Parameters {
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
